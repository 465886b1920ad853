import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import type { Logger } from '../log.ts'
import { countAudience, emptyCounts } from './counts.ts'
import { createIdempotency, type SendResult } from './idempotency.ts'
import {
  contentOf,
  emptyView,
  expiryOf,
  type Gateways,
  prepareForAll,
  rejectOversized,
  viewOf,
} from './message.ts'
import type {
  DeviceRepo,
  IdempotencyRepo,
  MessageRepo,
  NewMessage,
  Recipient,
  Sender,
  Upstream,
} from './ports.ts'
import type { MessageView, Scope, SendInput } from './schema.ts'
import { recipientsOf, sendToUser } from './send-to-user.ts'

/**
 * Devices of a chunk. Also the most that a crash repeats for each chunk in work, and what one transaction that
 * records results (some 4 ms) covers.
 */
export const CHUNK_SIZE = 500

/** Broadcasts that a push token may have unfinished: a runaway script must not queue for hours. */
export const MAX_UNFINISHED = 20
/** A broadcast to 10,000 devices takes a second or two. */
const UNFINISHED_RETRY_SECONDS = 5

export type SendDeps = {
  devices: DeviceRepo
  messages: MessageRepo
  keys: IdempotencyRepo
  gateways: Gateways
  clock: Clock
  log: Logger
  /** These gateways have accepted a push. */
  onAnswered(upstreams: Iterable<Upstream>): void
  /** A broadcast was accepted. */
  onBroadcast(): void
}

export function createSend(deps: SendDeps) {
  const { devices, messages, gateways, clock } = deps
  const once = createIdempotency(deps)

  /**
   * Sends to the token's owner, to one user, to several or to everybody.
   * @throws AppError UNAUTHORIZED, FORBIDDEN, NOT_FOUND, PAYLOAD_TOO_LARGE, CONFLICT, TOO_MANY_REQUESTS
   */
  return async function send(sender: Sender, input: SendInput, key?: string): Promise<SendResult> {
    checkScope(sender, input)
    if (key === undefined) return perform(sender, input, newId())
    return once(sender.id, key, input, async (messageId, takenOver) => {
      const sent = takenOver ? await messages.find(messageId) : null
      if (sent && input.userIds) return { httpStatus: 202, answer: await acceptedFor(sent.id, input.userIds) }
      if (sent)
        return { httpStatus: input.all ? 202 : 200, answer: input.all ? accepted(sent.id) : viewOf(sent) }
      return perform(sender, input, messageId)
    })
  }

  async function perform(sender: Sender, input: SendInput, id: string): Promise<SendResult> {
    const createdAt = clock.now()
    const content = contentOf(input)
    const userId = input.all || input.userIds ? null : (input.userId ?? sender.userId)
    const known = input.userIds && (await knownUsers(input.userIds))
    const message: NewMessage = {
      id,
      userId,
      content,
      createdAt,
      expiresAt: expiryOf(content, createdAt),
    }
    const prepared = prepareForAll(gateways, message)
    const recipients = userId === null ? null : await recipientsOf(devices, userId, content.category)
    rejectOversized(prepared, recipients)
    if (input.dryRun)
      return {
        httpStatus: 200,
        answer: { ...(await dryRun(message, recipients, known?.userIds)), ...known?.report },
      }
    if (userId !== null && recipients)
      return {
        httpStatus: 200,
        answer: await sendToUser(deps, { ...message, userId, sender }, prepared, recipients),
      }
    const result = await messages.createBroadcast(
      { ...message, sender, userIds: known?.userIds },
      { chunkSize: CHUNK_SIZE, maxUnfinished: MAX_UNFINISHED },
    )
    if (result !== 'accepted') throw rejectedBroadcast(result)
    deps.onBroadcast()
    return { httpStatus: 202, answer: { ...accepted(id), ...known?.report } }
  }

  async function knownUsers(given: readonly string[]) {
    const unique = [...new Set(given)]
    const unknownUserIds = await unknownOf(unique)
    const unknown = new Set(unknownUserIds)
    return { userIds: unique.filter((id) => !unknown.has(id)), report: { unknownUserIds } }
  }

  async function unknownOf(userIds: readonly string[]): Promise<string[]> {
    const missing = new Set(await devices.unknownUsers(userIds.filter(isId)))
    return userIds.filter((id) => !isId(id) || missing.has(id))
  }

  async function acceptedFor(id: string, userIds: readonly string[]): Promise<MessageView> {
    return { ...accepted(id), ...(await knownUsers(userIds)).report }
  }

  /** Counts the audience. Nothing is stored: the id names no message. */
  async function dryRun(
    { id, content }: NewMessage,
    recipients: Recipient[] | null,
    userIds: readonly string[] | undefined,
  ): Promise<MessageView> {
    const view = emptyView(id, 'dry-run')
    if (userIds) return { ...view, audience: await devices.countOf(userIds, content.category) }
    if (!recipients) return { ...view, audience: await devices.countAll(content.category) }
    const counts = emptyCounts()
    countAudience(counts, recipients)
    return { ...view, audience: counts.audience }
  }
}

/** @throws AppError FORBIDDEN */
function checkScope({ userId, scopes }: Sender, input: SendInput): void {
  const isToOwner = !input.userIds && (input.userId === undefined || input.userId === userId)
  const allowing: Scope[] = input.all ? ['broadcast'] : isToOwner ? ['self', 'users'] : ['users']
  if (allowing.some((scope) => scopes.includes(scope))) return
  const target = input.all ? 'everybody' : isToOwner ? 'its owner' : 'other users'
  throw new AppError(
    'FORBIDDEN',
    `This push token may not send to ${target}: its scopes are ${scopes.join(', ')}. Ask for a token with the scope ${allowing.join(' or ')}. Nothing was sent.`,
  )
}

function rejectedBroadcast(result: 'revoked' | 'tooMany'): AppError {
  return result === 'revoked'
    ? new AppError('UNAUTHORIZED', 'This push token was revoked while the request ran. Nothing was sent.')
    : new AppError(
        'TOO_MANY_REQUESTS',
        `This push token has ${MAX_UNFINISHED} unfinished broadcasts, the most it may have. Nothing was sent; wait until one is completed, or cancel one.`,
        { retryAfterSeconds: UNFINISHED_RETRY_SECONDS },
      )
}

function accepted(id: string): MessageView {
  return emptyView(id, 'queued')
}
