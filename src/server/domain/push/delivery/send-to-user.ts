import { AppError } from '../../../kernel/errors.ts'
import { isId } from '../../../kernel/ids.ts'
import type { Logger } from '../../../kernel/log.ts'
import type { DeviceRepo } from '../devices/device-repo.ts'
import { countAudience, countOutcome, emptyCounts } from '../messages/counts.ts'
import type { SentMessage } from '../messages/message.ts'
import type { MessageRepo } from '../messages/message-repo.ts'
import type { Content } from '../messages/notification.ts'
import type { PreparedMessage } from '../messages/prepared-message.ts'
import type { MessageView } from '../messages/schema.ts'
import type { Recipient } from './gateway.ts'
import { hedgedSend } from './hedged-send.ts'
import type { PushApps } from './push-apps.ts'
import { retry } from './retry.ts'
import type { Upstream } from './upstream.ts'

/** Maximum time for recording results, retries included, while the database is unavailable. */
const RECORD_TIMEOUT_MS = 5_000

export type SendToUserDeps = {
  devices: DeviceRepo
  messages: MessageRepo
  apps: PushApps
  log: Logger
  /** Called with the upstreams that accepted a push. */
  onAnswered(upstreams: Iterable<Upstream>): void
}

/** Returns the user's devices that get this content. @throws AppError NOT_FOUND */
export async function recipientsOf(devices: DeviceRepo, userId: string, { category, apps }: Content) {
  const recipients = isId(userId) ? await devices.recipientsOf(userId, category) : null
  if (!recipients) throw new AppError('NOT_FOUND', 'User not found. Check userId. Nothing was sent.')
  return apps ? recipients.filter(({ app }) => apps.includes(app)) : recipients
}

/** Sends a message to all devices of a user in parallel and records the results. */
export async function sendToUser(
  deps: SendToUserDeps,
  message: SentMessage & { userId: string },
  prepared: PreparedMessage,
  recipients: Recipient[],
): Promise<MessageView> {
  const outcomes = await Promise.all(
    recipients.map((r) => hedgedSend(deps.apps.gatewaysOf(r.app)[r.platform], prepared.for(r), r)),
  )
  const counts = emptyCounts()
  countAudience(counts, recipients)
  for (const [i, recipient] of recipients.entries()) countOutcome(counts, recipient, outcomes[i]!)
  // Exhausted retries count as rejected, so only an accepted push shows that the upstream responds.
  deps.onAnswered([...counts.answers].flatMap(([upstream, { accepted }]) => (accepted > 0 ? [upstream] : [])))
  // Any user can test with device tokens that they made up, so responses to tests say nothing about our configuration.
  if (message.sender.id === null) counts.answers.clear()
  return retry(() => deps.messages.recordDirect(message, counts), RECORD_TIMEOUT_MS, deps.log)
}
