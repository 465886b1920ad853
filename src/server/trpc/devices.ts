import { z } from 'zod'
import { platform, registerDeviceInput, removeDeviceInput, unregisterDeviceInput } from '../push/schema.ts'
import { isoTime } from '../validation.ts'
import { publicProcedure, router, userProcedure } from './init.ts'

const listed = z.object({
  id: z.string(),
  platform,
  name: z.string().nullable(),
  environment: z.enum(['production', 'sandbox']),
  tokenSuffix: z.string(),
  disabledReason: z.string().nullable(),
  createdAt: isoTime,
  lastSeenAt: isoTime,
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

  webPushKey: publicProcedure
    .output(z.object({ publicKey: z.string().nullable() }))
    .query(({ ctx }) => ctx.services.push.devices.webPushKey()),

  list: userProcedure
    .output(z.object({ items: z.array(listed) }))
    .query(({ ctx }) => ctx.services.push.devices.list(ctx.user.id)),
})
