import { z } from 'zod'
import { updatePreferencesInput } from '../../domain/push/devices/preferences.ts'
import * as schema from '../../domain/push/devices/schema.ts'
import { isoTime } from '../../kernel/validation.ts'
import { publicProcedure, router, success, userProcedure } from './init.ts'

const device = z.object({
  id: z.string(),
  platform: schema.platform,
  name: z.string().nullable(),
  environment: z.enum(['production', 'sandbox']),
  tokenSuffix: z.string(),
  disabledReason: z.string().nullable(),
  createdAt: isoTime,
  lastSeenAt: isoTime,
})

export const devicesRouter = router({
  register: userProcedure
    .meta({ summary: 'Registers a device for pushes, or refreshes its registration.' })
    .input(schema.registerDeviceInput)
    .output(z.object({ id: z.string() }))
    .mutation(({ ctx, input }) => ctx.services.push.devices.register(ctx.user, input, ctx.address)),

  unregister: userProcedure
    .meta({ summary: 'Removes a device by its token. Idempotent.' })
    .input(schema.unregisterDeviceInput)
    .output(success)
    .mutation(({ ctx, input }) => ctx.services.push.devices.unregister(ctx.user.id, input.token)),

  remove: userProcedure
    .meta({ summary: 'Removes a device by its ID. Idempotent.' })
    .input(schema.removeDeviceInput)
    .output(success)
    .mutation(({ ctx, input }) => ctx.services.push.devices.remove(ctx.user.id, input.deviceId)),

  webPushKey: publicProcedure
    .meta({
      summary:
        "The public key for browsers' web push subscriptions, or null if not configured. Needs no session.",
    })
    .output(z.object({ publicKey: z.string().nullable() }))
    .query(({ ctx }) => ctx.services.push.devices.webPushKey()),

  list: userProcedure
    .meta({ summary: "The user's devices." })
    .output(z.object({ items: z.array(device) }))
    .query(({ ctx }) => ctx.services.push.devices.list(ctx.user.id)),
})

const preferences = z.object({ pushEnabled: z.boolean(), mutedCategories: z.array(z.string()) })

export const preferencesRouter = router({
  get: userProcedure
    .meta({ summary: "The user's push preferences: on or off, and muted categories." })
    .output(preferences)
    .query(({ ctx }) => ctx.services.push.preferences.get(ctx.user.id)),

  update: userProcedure
    .meta({ summary: 'Changes one or both push preferences.' })
    .input(updatePreferencesInput)
    .output(preferences)
    .mutation(({ ctx, input }) => ctx.services.push.preferences.update(ctx.user.id, input)),
})
