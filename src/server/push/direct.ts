import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { Logger } from '../log.ts'
import { sendWithRetries } from './attempts.ts'
import type { Gateways, PreparedForAll } from './message.ts'
import { persist } from './persist.ts'
import type { DeviceRepo, MessageRepo, NewMessage, Recipient } from './ports.ts'
import type { MessageView } from './schema.ts'
import { countAudience, countOutcome, emptyTally } from './tally.ts'

/** How long results of a push that was sent are held for a database that is away. */
const RECORD_PATIENCE_MS = 5_000

export type DirectDeps = { devices: DeviceRepo; messages: MessageRepo; gateways: Gateways; log: Logger }

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

/** Hands a message for one user to the gateways, all devices in parallel, and records how it went. */
export async function sendToUser(
  deps: DirectDeps,
  message: NewMessage & { userId: string },
  prepared: PreparedForAll,
  recipients: Recipient[],
): Promise<MessageView> {
  const outcomes = await Promise.all(
    recipients.map((r) => sendWithRetries(deps.gateways[r.platform], prepared[r.platform], r)),
  )
  const tally = emptyTally()
  countAudience(tally, recipients)
  for (const [i, recipient] of recipients.entries()) countOutcome(tally, recipient, outcomes[i]!)
  return persist(() => deps.messages.recordDirect(message, tally), RECORD_PATIENCE_MS, deps.log)
}
