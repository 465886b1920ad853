import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { RateCounter } from '../rate-counter.ts'
import { createBroadcastWorker } from './broadcast-worker.ts'
import { createDevices, type WebPushSettings } from './devices.ts'
import type { FindExternalUser } from './external-user.ts'
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
  PushTokenRepo,
  RetentionRepo,
  SentMessageRepo,
  TemplateRepo,
  TopicRepo,
} from './ports.ts'
import { createPushTokens } from './push-tokens.ts'
import { createRetention } from './retention.ts'
import { createScheduler } from './scheduler.ts'
import { CHUNK_SIZE, createSend } from './send.ts'
import { createSendTest, type SendTestDeps } from './send-test.ts'
import { createSentMessages } from './sent-messages.ts'
import { createTemplates } from './templates.ts'
import { createTopics } from './topics.ts'

export type PushDeps = {
  tokens: PushTokenRepo
  devices: DeviceRepo
  preferences: PreferenceRepo
  messages: MessageRepo
  inbox: InboxRepo
  sentMessages: SentMessageRepo
  templates: TemplateRepo
  chunks: ChunkRepo
  keys: IdempotencyRepo
  retention: RetentionRepo
  topics: TopicRepo
  gateways: Gateways
  webPush: WebPushSettings
  /** Counts in windows of `NEW_DEVICES_WINDOW_SECONDS`. */
  newDevices: Pick<RateCounter, 'increment'>
  tests: SendTestDeps['tests']
  /** Undefined: no external issuer is configured. */
  findExternalUser: FindExternalUser | undefined
  clock: Clock
  log: Logger
}

export type PushService = ReturnType<typeof createPushService>

/** Everything that push offers to the endpoints. */
export function createPushService(deps: PushDeps) {
  const worker = createBroadcastWorker(deps)
  const messages = createMessages({ ...deps, onCancelled: worker.cancel })
  return {
    tokens: createPushTokens(deps),
    devices: createDevices(deps),
    preferences: deps.preferences,
    messages,
    sentMessages: createSentMessages({ sentMessages: deps.sentMessages, cancel: messages.cancel }),
    inbox: createInbox(deps.inbox),
    send: createSend({ ...deps, onAnswered: worker.onAnswered, onBroadcast: worker.wake }),
    sendTest: createSendTest({ ...deps, onAnswered: worker.onAnswered }),
    topics: createTopics(deps.topics),
    templates: createTemplates(deps.templates),
    worker,
    scheduler: createScheduler({ ...deps, chunkSize: CHUNK_SIZE, onStarted: worker.wake }),
    retention: createRetention(deps),
  }
}
