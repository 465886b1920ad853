import { z } from 'zod'
import { registerDeviceInput, removeDeviceInput, unregisterDeviceInput } from '../push/schema.ts'
import { router, userProcedure } from './init.ts'

const listed = z.object({
  id: z.string(),
  platform: z.enum(['ios', 'android']),
  name: z.string().nullable(),
  environment: z.enum(['production', 'sandbox']),
  tokenSuffix: z.string(),
  disabledReason: z.string().nullable(),
  createdAt: z.date().transform((time) => time.toISOString()),
  lastSeenAt: z.date().transform((time) => time.toISOString()),
})

export const devicesRouter = router({
  register: userProcedure
    .input(registerDeviceInput)
    .output(z.object({ id: z.string() }))
    .mutation(({ ctx, input }) => ctx.services.push.devices.register(ctx.user, input, ctx.address)),

  unregister: userProcedure
    .input(unregisterDeviceInput)
    .output(z.object({ success: z.literal(true) }))
    .mutation(({ ctx, input }) => ctx.services.push.devices.unregister(ctx.user.id, input.token)),

  remove: userProcedure
    .input(removeDeviceInput)
    .output(z.object({ success: z.literal(true) }))
    .mutation(({ ctx, input }) => ctx.services.push.devices.remove(ctx.user.id, input.deviceId)),

  list: userProcedure
    .output(z.object({ items: z.array(listed) }))
    .query(({ ctx }) => ctx.services.push.devices.list(ctx.user.id)),
})
