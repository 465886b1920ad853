import { type Clock, daysAfter, secondsAfter } from '../../../kernel/clock.ts'
import { AppError } from '../../../kernel/errors.ts'
import { isId, newId, newIdOf } from '../../../kernel/ids.ts'
import { within } from '../../../kernel/time-limit.ts'
import type { Audience } from '../broadcasts/broadcast.ts'
import { recipientsOf, type SendToUserDeps, sendToUser } from '../delivery/send-to-user.ts'
import { checkScope } from '../tokens/scopes.ts'
import { type FindExternalUser, lookUpExternalUser, requireExternalUser } from './external-user.ts'
import { createIdempotency, type IdempotencyRepo, type SendResult } from './idempotency.ts'
import { contentOf, emptyView, type Sender } from './message.ts'
import type { DueMessage } from './message-repo.ts'
import { prepareMessage, rejectOversized } from './prepared-message.ts'
import type { MessageView, SendInput } from './schema.ts'

const MAX_AHEAD_DAYS = 30
/** Tolerance for callers' clocks and for the time a request takes: "now" must not be rejected. */
const LATE_SECONDS = 30

/**
 * Devices of a chunk. A crash repeats at most this many pushes for each chunk in progress, and one transaction (about
 * 4 ms) records their results.
 */
export const CHUNK_SIZE = 500

/** Maximum unfinished broadcasts per push token, so that a runaway script cannot fill the queue for hours. */
export const MAX_UNFINISHED = 20
/** Maximum scheduled pushes to single users per push token. */
const MAX_SCHEDULED = 10_000
/** Maximum time that a request waits for its broadcast to start. Planning a topic with a million users takes longer. */
const START_WAIT_MS = 5_000
/** A broadcast to 10,000 devices takes a second or two. */
const UNFINISHED_RETRY_SECONDS = 5

export type SendDeps = SendToUserDeps & {
  keys: IdempotencyRepo
  clock: Clock
  findExternalUser: FindExternalUser
  /** Starts an accepted broadcast. If that fails, it is tried again in the background. */
  startMessage(message: DueMessage): Promise<void>
}

export function createSend(deps: SendDeps) {
  const { devices, messages, apps, clock } = deps
  const once = createIdempotency(deps)

  /**
   * Sends to the token's owner, one user, several users, a topic or everyone, now or at `sendAt`.
   * @throws AppError BAD_REQUEST, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, PAYLOAD_TOO_LARGE, CONFLICT, TOO_MANY_REQUESTS
   */
  return async function send(sender: Sender, given: SendInput, key?: string): Promise<SendResult> {
    const input = await withUserId(sender, given)
    checkScope(sender, input)
    apps.requireKnown('apps', input.apps ?? [])
    // Lists are sorted by ID, so the ID of a scheduled message follows its sending time.
    const id = input.sendAt === undefined ? newId() : newIdOf(new Date(input.sendAt))
    if (key === undefined) return perform(sender, input, id)
    return once(sender.id, key, given, id, async (messageId, takenOver) => {
      const sent = takenOver ? await messages.find(messageId) : null
      if (!sent) return perform(sender, input, messageId)
      if (isDirect(input)) return { httpStatus: 200, answer: sent }
      const known = input.userIds && (await knownUsers(input.userIds))
      return accepted(sent.id, sent.sendAt, known)
    })
  }

  /** Replaces `externalUserId` with `userId`. */
  async function withUserId(sender: Sender, { externalUserId, ...input }: SendInput): Promise<SendInput> {
    if (externalUserId === undefined) return input
    const find = deps.findExternalUser
    // A token that cannot send to other users must not learn which users exist.
    const userId = sender.scopes.includes('users')
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
    const expiresAt = secondsAfter(sendAt ?? createdAt, content.ttlSeconds)
    const message = { id, userId, content, createdAt, expiresAt }
    const prepared = prepareMessage(apps, message)
    const recipients = userId === null ? null : await recipientsOf(devices, userId, content)
    // The devices of a scheduled push are not known yet.
    await rejectOversized(prepared, sendAt ? null : recipients, () => devices.hasAny('web'))
    const audience = audienceOf(input, userId, known?.userIds)
    if (input.dryRun) {
      const counted = await devices.count(audience, content)
      return { httpStatus: 200, answer: { ...emptyView(id, 'dry-run'), audience: counted, ...known?.report } }
    }
    if (userId !== null && recipients && !sendAt) {
      const answer = await sendToUser(deps, { ...message, userId, sender }, prepared, recipients)
      return { httpStatus: 200, answer }
    }
    const maxUnfinished = audience.kind === 'user' ? MAX_SCHEDULED : MAX_UNFINISHED
    const broadcast = { ...message, sender, audience, sendAt }
    const result = await messages.createBroadcast(broadcast, maxUnfinished)
    if (result !== 'accepted') throw rejectedBroadcast(result, audience)
    if (!sendAt) {
      const started = deps.startMessage({ id, toTopic: audience.kind === 'topic' })
      await within(START_WAIT_MS, started)
    }
    return accepted(id, sendAt?.toISOString(), known)
  }

  async function knownUsers(given: readonly string[]) {
    const unique = [...new Set(given)]
    const unknown = new Set(await devices.unknownUsers(unique.filter(isId)))
    const isUnknown = (id: string) => !isId(id) || unknown.has(id)
    return {
      userIds: unique.filter((id) => !isUnknown(id)),
      report: { unknownUserIds: unique.filter(isUnknown) },
    }
  }
}

/** @throws AppError BAD_REQUEST if the time has passed or is too far ahead */
function readSendAt(given: string, now: Date): Date {
  const sendAt = new Date(given)
  const problem =
    sendAt < secondsAfter(now, -LATE_SECONDS)
      ? `has passed; it is now ${now.toISOString()}, and a time up to ${LATE_SECONDS} seconds ago counts as now`
      : sendAt > daysAfter(now, MAX_AHEAD_DAYS)
        ? `is more than ${MAX_AHEAD_DAYS} days ahead`
        : undefined
  if (problem === undefined) return sendAt
  throw new AppError('BAD_REQUEST', `The input is not valid. sendAt: ${problem}. Nothing was sent.`, {
    fieldErrors: { sendAt: [problem] },
  })
}

/** Returns true for a push to one user now, which is sent before the response. */
function isDirect({ all, userIds, topic, sendAt }: SendInput): boolean {
  return !all && !userIds && topic === undefined && sendAt === undefined
}

function audienceOf({ topic }: SendInput, userId: string | null, userIds: string[] | undefined): Audience {
  if (userId !== null) return { kind: 'user', userId }
  if (userIds) return { kind: 'users', userIds }
  return topic === undefined ? { kind: 'all' } : { kind: 'topic', topic }
}

function rejectedBroadcast(result: 'revoked' | 'tooMany', audience: Audience): AppError {
  if (result === 'revoked')
    return new AppError('UNAUTHORIZED', 'This push token was revoked during the request. Nothing was sent.')
  const limit =
    audience.kind === 'user'
      ? `${MAX_SCHEDULED} scheduled pushes to single users`
      : `${MAX_UNFINISHED} unfinished broadcasts, including scheduled ones`
  return new AppError(
    'TOO_MANY_REQUESTS',
    `A push token can have at most ${limit}. Nothing was sent. Wait until one is completed, or cancel one.`,
    { retryAfterSeconds: UNFINISHED_RETRY_SECONDS },
  )
}

function accepted(
  id: string,
  sendAt: string | undefined,
  known: { report: Pick<MessageView, 'unknownUserIds'> } | undefined,
): SendResult {
  const view = sendAt ? { ...emptyView(id, 'scheduled'), sendAt } : emptyView(id, 'queued')
  return { httpStatus: 202, answer: { ...view, ...known?.report } }
}
