import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { Logger } from '../log.ts'
import { countAudience, countOutcome, emptyCounts } from './counts.ts'
import { hedgedSend } from './hedged-send.ts'
import type { Gateways } from './message.ts'
import type { Counts, DeviceRepo, MessageRepo, Recipient, SentMessage, Upstream } from './ports.ts'
import type { PreparedMessage } from './prepared-message.ts'
import { retry } from './retry.ts'
import type { MessageView } from './schema.ts'

/** How long the results of a push that was sent wait for a database that is down. */
const RECORD_PATIENCE_MS = 5_000

export type SendToUserDeps = {
  devices: DeviceRepo
  messages: MessageRepo
  gateways: Gateways
  log: Logger
  /** These gateways have accepted a push. */
  onAnswered(upstreams: Iterable<Upstream>): void
}

/** @throws AppError NOT_FOUND */
export async function recipientsOf(
  devices: DeviceRepo,
  userId: string,
  category: string,
): Promise<Recipient[]> {
  const recipients = isId(userId) ? await devices.recipientsOf(userId, category) : null
  if (!recipients) throw new AppError('NOT_FOUND', 'There is no user with this userId. Nothing was sent.')
  return recipients
}

/** Sends a message to one user, all devices in parallel, and records what came of it. */
export async function sendToUser(
  deps: SendToUserDeps,
  message: SentMessage & { userId: string },
  prepared: PreparedMessage,
  recipients: Recipient[],
): Promise<MessageView> {
  const outcomes = await Promise.all(
    recipients.map((r) => hedgedSend(deps.gateways[r.platform], prepared.for(r), r)),
  )
  const counts = emptyCounts()
  countAudience(counts, recipients)
  for (const [i, recipient] of recipients.entries()) countOutcome(counts, recipient, outcomes[i]!)
  deps.onAnswered(acceptedBy(counts))
  return retry(() => deps.messages.recordDirect(message, counts), RECORD_PATIENCE_MS, deps.log)
}

/** An attempt that was given up counts as rejected, so only an acceptance shows that the gateway is there. */
function acceptedBy({ answers }: Counts): Upstream[] {
  return [...answers].flatMap(([upstream, { accepted }]) => (accepted > 0 ? [upstream] : []))
}
