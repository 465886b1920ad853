import { z } from 'zod'
import { preferencesOutput, updatePreferencesInput } from '../../domain/push/devices/preferences.ts'
import * as schema from '../../domain/push/devices/schema.ts'
import { topicInput } from '../../domain/push/topics/schema.ts'
import { topicsOutput } from '../../domain/push/topics/topics.ts'
import {
  publicProcedure,
  router,
  scopedProcedure,
  succeed,
  success,
  userProcedure,
  verifiedProcedure,
} from './init.ts'

const deviceProcedure = (summary: string) => scopedProcedure('devices:write', summary)

export const devicesRouter = router({
  register: deviceProcedure('Registers a device for pushes, or refreshes its registration.')
    .input(schema.registerDeviceInput)
    .output(z.object({ id: z.string() }))
    .mutation(({ ctx, input }) => ctx.services.push.devices.register(ctx.user, input, ctx.address)),

  unregister: deviceProcedure('Removes a device by its token. Idempotent.')
    .input(schema.unregisterDeviceInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.push.devices.unregister(ctx.user.id, input.token))),

  remove: deviceProcedure('Removes a device by its ID. Idempotent.')
    .input(schema.removeDeviceInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.push.devices.remove(ctx.user.id, input.deviceId))),

  webPushKey: publicProcedure(
    "Returns the public key for browsers' web push subscriptions, or null if not configured. Needs no session.",
  )
    .meta({ scope: 'devices:write' })
    .output(z.object({ publicKey: z.string().nullable() }))
    .query(({ ctx }) => ctx.services.push.devices.webPushKey()),

  list: deviceProcedure("Lists the user's devices.")
    .output(schema.devicesOutput)
    .query(({ ctx }) => ctx.services.push.devices.list(ctx.user.id)),
})

export const preferencesRouter = router({
  get: deviceProcedure("Returns the user's push preferences: on or off, and muted categories.")
    .output(preferencesOutput)
    .query(({ ctx }) => ctx.services.push.preferences.get(ctx.user.id)),

  update: deviceProcedure('Changes one or both push preferences.')
    .input(updatePreferencesInput)
    .output(preferencesOutput)
    .mutation(({ ctx, input }) => ctx.services.push.preferences.update(ctx.user.id, input)),
})

export const topicsRouter = router({
  subscribe: verifiedProcedure('Subscribes to a topic. Idempotent.')
    .input(topicInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.push.topics.subscribe(ctx.user, input.topic))),

  unsubscribe: userProcedure('Ends a subscription. Idempotent.')
    .input(topicInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.push.topics.unsubscribe(ctx.user.id, input.topic))),

  list: userProcedure("Lists the user's topics.")
    .output(topicsOutput)
    .query(({ ctx }) => ctx.services.push.topics.list(ctx.user.id)),
})
