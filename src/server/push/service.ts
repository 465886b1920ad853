import type { Clock } from '../clock.ts'
import { createAccess } from './access.ts'
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
  PushLog,
  RateCounter,
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
  log: PushLog
  adminSecret: string
  /** Wrong admin secrets by address, and sends by push token; both in windows of a minute. */
  failures: RateCounter
  sends: RateCounter
  sendsPerMinute: number
}

export type PushService = ReturnType<typeof createPushService>

/** Everything the push half offers to the endpoints. */
export function createPushService(deps: PushDeps) {
  const worker = createBroadcastWorker(deps)
  const apiTokens = createApiTokens(deps)
  return {
    apiTokens,
    access: createAccess({ ...deps, apiTokens }),
    devices: createDevices(deps.devices),
    preferences: deps.preferences,
    messages: createMessages(deps.messages),
    inbox: createInbox(deps.inbox),
    send: createSend({ ...deps, onBroadcast: worker.wake }),
    worker,
    retention: createRetention(deps),
  }
}
