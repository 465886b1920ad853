import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import { createApiTokens } from './api-tokens.ts'
import { createDevices } from './devices.ts'
import { createInbox } from './inbox.ts'
import type { Gateways } from './message.ts'
import { createMessages } from './messages.ts'
import type {
  ChunkRepo,
  DeviceRepo,
  IdempotencyRepo,
  InboxRepo,
  MessageRepo,
  PreferenceRepo,
  RetentionRepo,
  TokenRepo,
} from './ports.ts'
import { createRetention } from './retention.ts'
import { createSend } from './send.ts'
import { createBroadcastWorker } from './worker.ts'

export type PushDeps = {
  tokens: TokenRepo
  devices: DeviceRepo
  preferences: PreferenceRepo
  messages: MessageRepo
  inbox: InboxRepo
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
    apiTokens: createApiTokens(deps),
    devices: createDevices(deps.devices),
    preferences: deps.preferences,
    messages: createMessages(deps.messages),
    inbox: createInbox(deps.inbox),
    send: createSend({ ...deps, onBroadcast: worker.wake }),
    worker,
    retention: createRetention(deps),
  }
}
