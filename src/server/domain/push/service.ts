import { type BroadcastWorkerDeps, createBroadcastWorker } from './broadcasts/broadcast-worker.ts'
import { createScheduler } from './broadcasts/scheduler.ts'
import { createDevices, type DevicesDeps } from './devices/devices.ts'
import type { PreferenceRepo } from './devices/preferences.ts'
import { createInbox, type InboxRepo } from './inbox/inbox.ts'
import { createMessages } from './messages/messages.ts'
import { CHUNK_SIZE, createSend, type SendDeps } from './messages/send.ts'
import { createSendTest, type SendTestDeps } from './messages/send-test.ts'
import { createSentMessages, type SentMessageRepo } from './messages/sent-messages.ts'
import { createTemplates, type TemplateRepo } from './messages/templates.ts'
import { createPushSweeper, type PushSweeperDeps } from './sweeper.ts'
import { createPushTokens, type PushTokensDeps } from './tokens/push-tokens.ts'
import { createTopics, type TopicsDeps } from './topics/topics.ts'

type PushDeps = PushTokensDeps &
  DevicesDeps &
  BroadcastWorkerDeps &
  PushSweeperDeps &
  TopicsDeps &
  Omit<SendDeps & SendTestDeps, 'onAnswered' | 'startMessage'> & {
    preferences: PreferenceRepo
    inbox: InboxRepo
    sentMessages: SentMessageRepo
    templates: TemplateRepo
  }

export type PushService = ReturnType<typeof createPushService>

/** Creates the use cases of pushes, and their worker, scheduler and sweeper. */
export function createPushService(deps: PushDeps) {
  const worker = createBroadcastWorker(deps)
  const scheduler = createScheduler({ ...deps, chunkSize: CHUNK_SIZE, onStarted: worker.wake })
  const messages = createMessages({ ...deps, onCancelled: worker.cancel })
  return {
    tokens: createPushTokens(deps),
    devices: createDevices(deps),
    preferences: deps.preferences,
    messages,
    sentMessages: createSentMessages({ sentMessages: deps.sentMessages, cancel: messages.cancel }),
    inbox: createInbox(deps.inbox),
    send: createSend({ ...deps, onAnswered: worker.onAnswered, startMessage: scheduler.startMessage }),
    sendTest: createSendTest({ ...deps, onAnswered: worker.onAnswered }),
    topics: createTopics(deps),
    templates: createTemplates(deps.templates),
    worker,
    scheduler,
    sweeper: createPushSweeper(deps),
  }
}
