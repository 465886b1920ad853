import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import { createBroadcastWorker } from './broadcast-worker.ts'
import { createDevices } from './devices.ts'
import { createInbox } from './inbox.ts'
import type { Gateways } from './message.ts'
import { createMessages } from './messages.ts'
import type {
  ChunkRepo,
  DeviceRepo,
  IdempotencyRepo,
  MessageRepo,
  PreferenceRepo,
  PushTokenRepo,
  RetentionRepo,
} from './ports.ts'
import { createPushTokens } from './push-tokens.ts'
import { createRetention } from './retention.ts'
import { createSend } from './send.ts'

export type PushDeps = {
  tokens: PushTokenRepo
  devices: DeviceRepo
  preferences: PreferenceRepo
  messages: MessageRepo
  chunks: ChunkRepo
  keys: IdempotencyRepo
  retention: RetentionRepo
  gateways: Gateways
  clock: Clock
  log: Logger
}

export type PushService = ReturnType<typeof createPushService>

/** Everything that push offers to the endpoints. */
export function createPushService(deps: PushDeps) {
  const worker = createBroadcastWorker(deps)
  return {
    tokens: createPushTokens(deps),
    devices: createDevices(deps.devices),
    preferences: deps.preferences,
    messages: createMessages({ ...deps, onCancelled: worker.cancel }),
    inbox: createInbox(deps.messages),
    send: createSend({ ...deps, onAnswered: worker.onAnswered, onBroadcast: worker.wake }),
    worker,
    retention: createRetention(deps),
  }
}
