import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { isId, newId, newIdOf } from '../ids.ts'
import type { Logger } from '../log.ts'
import { countAudience, emptyCounts } from './counts.ts'
import { type FindExternalUser, lookUpExternalUser, requireExternalUser } from './external-user.ts'
import { createIdempotency, type SendResult } from './idempotency.ts'
import { contentOf, emptyView, expiryOf, type Gateways, viewOf } from './message.ts'
import type {
  Audience,
  DeviceRepo,
  IdempotencyRepo,
  MessageRepo,
  NewMessage,
  Recipient,
  Sender,
  Upstream,
} from './ports.ts'
import { prepareMessage, rejectOversized } from './prepared-message.ts'
import type { MessageView, SendInput } from './schema.ts'
import { checkScope } from './scopes.ts'
import { readSendAt } from './send-at.ts'
import { recipientsOf, sendToUser } from './send-to-user.ts'

/**
 * Devices of a chunk. Also the most that a crash repeats for each chunk in work, and what one transaction that
 * records results (some 4 ms) covers.
 */
export const CHUNK_SIZE = 500

/** Broadcasts that a push token may have unfinished: a runaway script must not queue for hours. */
export const MAX_UNFINISHED = 20
/** Scheduled pushes to single users that a push token may have waiting. */
export const MAX_SCHEDULED = 10_000
/** A broadcast to 10,000 devices takes a second or two. */
const UNFINISHED_RETRY_SECONDS = 5

export type SendDeps = {
  devices: DeviceRepo
  messages: MessageRepo
  keys: IdempotencyRepo
  gateways: Gateways
  clock: Clock
  log: Logger
  /** Undefined: no external issuer is configured. */
  findExternalUser: FindExternalUser | undefined
  /** These gateways have accepted a push. */
  onAnswered(upstreams: Iterable<Upstream>): void
  /** A broadcast was accepted. */
  onBroadcast(): void
}

export function createSend(deps: SendDeps) {
  const { devices, messages, gateways, clock } = deps
  const once = createIdempotency(deps)

  /**
   * Sends to the token's owner, to one user, to several, to a topic or to everybody, now or at `sendAt`.
   * @throws AppError BAD_REQUEST, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, PAYLOAD_TOO_LARGE, CONFLICT, TOO_MANY_REQUESTS
   */
  return async function send(sender: Sender, given: SendInput, key?: string): Promise<SendResult> {
    const input = await withUserId(sender, given)
    checkScope(sender, input)
    // Lists are sorted by id: what is scheduled belongs where it is sent.
    const id = input.sendAt === undefined ? newId() : newIdOf(new Date(input.sendAt))
    if (key === undefined) return perform(sender, input, id)
    return once(sender.id, key, given, id, async (messageId, takenOver) => {
      const sent = takenOver ? await messages.find(messageId) : null
      if (!sent) return perform(sender, input, messageId)
      if (isDirect(input)) return { httpStatus: 200, answer: viewOf(sent) }
      const report = input.userIds && (await knownUsers(input.userIds)).report
      return { httpStatus: 202, answer: { ...accepted(sent.id, dateOf(sent.sendAt)), ...report } }
    })
  }

  /** `externalUserId` as `userId`. A token that may not send to other users does not learn which of them exist. */
  async function withUserId(sender: Sender, { externalUserId, ...input }: SendInput): Promise<SendInput> {
    if (externalUserId === undefined) return input
    const find = deps.findExternalUser
    const mayAsk = sender.scopes.includes('users') || !find
    const userId = mayAsk
      ? await requireExternalUser(find, externalUserId)
      : await lookUpExternalUser(find, externalUserId)
    return { ...input, userId: userId ?? '' }
  }

  async function perform(sender: Sender, input: SendInput, id: string): Promise<SendResult> {
    const createdAt = clock.now()
    const content = contentOf(input)
    const userId = input.all || input.userIds || input.topic ? null : (input.userId ?? sender.userId)
    const known = input.userIds && (await knownUsers(input.userIds))
    const sendAt = input.sendAt === undefined ? undefined : readSendAt(input.sendAt, await messages.now())
    const message: NewMessage = {
      id,
      userId,
      content,
      createdAt,
      expiresAt: expiryOf(content, sendAt ?? createdAt),
    }
    const prepared = prepareMessage(gateways, message)
    const recipients = userId === null ? null : await recipientsOf(devices, userId, content.category)
    // The devices of a scheduled push are not known yet.
    await rejectOversized(prepared, sendAt ? null : recipients, () => devices.hasAny('web'))
    const audience = audienceOf(input, userId, known?.userIds)
    if (input.dryRun)
      return {
        httpStatus: 200,
        answer: { ...(await dryRun(message, audience, recipients)), ...known?.report },
      }
    if (userId !== null && recipients && !sendAt)
      return {
        httpStatus: 200,
        answer: await sendToUser(deps, { ...message, userId, sender }, prepared, recipients),
      }
    const maxUnfinished = audience.kind === 'user' ? MAX_SCHEDULED : MAX_UNFINISHED
    const result = await messages.createBroadcast(
      { ...message, sender, audience, sendAt },
      { chunkSize: CHUNK_SIZE, maxUnfinished },
    )
    if (result !== 'accepted') throw rejectedBroadcast(result, audience)
    deps.onBroadcast()
    return { httpStatus: 202, answer: { ...accepted(id, sendAt), ...known?.report } }
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

  /** Counts the audience. Nothing is stored: the id names no message. */
  async function dryRun(
    { id, content: { category } }: NewMessage,
    audience: Audience,
    recipients: Recipient[] | null,
  ): Promise<MessageView> {
    const view = emptyView(id, 'dry-run')
    if (audience.kind === 'all') return { ...view, audience: await devices.countAll(category) }
    if (audience.kind === 'topic')
      return { ...view, audience: await devices.countTopic(audience.topic, category) }
    if (audience.kind === 'users')
      return { ...view, audience: await devices.countOf(audience.userIds, category) }
    const counts = emptyCounts()
    countAudience(counts, recipients ?? [])
    return { ...view, audience: counts.audience }
  }
}

/** To one user and now: sent before the answer. */
function isDirect({ all, userIds, topic, sendAt }: SendInput): boolean {
  return !all && !userIds && topic === undefined && sendAt === undefined
}

function audienceOf(
  { topic }: SendInput,
  userId: string | null,
  userIds: readonly string[] | undefined,
): Audience {
  if (userId !== null) return { kind: 'user', userId }
  if (userIds) return { kind: 'users', userIds }
  return topic === undefined ? { kind: 'all' } : { kind: 'topic', topic }
}

function rejectedBroadcast(result: 'revoked' | 'tooMany', audience: Audience): AppError {
  if (result === 'revoked')
    return new AppError(
      'UNAUTHORIZED',
      'This push token was revoked while the request ran. Nothing was sent.',
    )
  const most =
    audience.kind === 'user'
      ? `${MAX_SCHEDULED} scheduled pushes to single users`
      : `${MAX_UNFINISHED} unfinished broadcasts, scheduled ones included`
  return new AppError(
    'TOO_MANY_REQUESTS',
    `This push token has ${most}, the most it may have. Nothing was sent; wait until one is completed, or cancel one.`,
    { retryAfterSeconds: UNFINISHED_RETRY_SECONDS },
  )
}

function accepted(id: string, sendAt: Date | undefined): MessageView {
  if (!sendAt) return emptyView(id, 'queued')
  return { ...emptyView(id, 'scheduled'), sendAt: sendAt.toISOString() }
}

function dateOf(time: string | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time)
}
