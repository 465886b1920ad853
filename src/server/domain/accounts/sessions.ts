import { type Audit, byUser } from '../../kernel/audit.ts'
import { type Clock, secondsAfter } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import type { Logger } from '../../kernel/log.ts'
import { createSweepRounds, runSteps } from '../../kernel/sweep-rounds.ts'
import { clientName } from './client-name.ts'
import type { EmailTokenRepo } from './email-links.ts'
import type { PasskeyRepo } from './passkeys.ts'
import type { Caller, SessionUser, SignInMethod } from './principal.ts'
import type { AuthUser } from './user-repo.ts'

/** Valid session with its user. */
export type ActiveSession = SessionUser & {
  /** When the session ends if it is not used again. */
  expiresAt: Date
}

type NewSession = {
  id: string
  userId: string
  epoch: number
  userAgent: string | null
  language: string | null
  method: SignInMethod
  /** Null: when the session was created. */
  signedInAt: Date | null
  createdAt: Date
  lastSeenAt: Date
  expiresAt: Date
}

export type SessionRepo = {
  /** If the user exceeds `max` sessions, ends the least recently seen ones. */
  create(session: NewSession, max: number): Promise<void>
  /** Runs one indexed statement. Null if the session or its epoch has expired, or the user is disabled. */
  find(
    id: string,
    at: Date,
  ): Promise<(Omit<ActiveSession, 'needsPasskey'> & { createdAt: Date; lastSeenAt: Date }) | null>
  /** Records a use of the session and its user, unless one was recorded after `before`. */
  seen(id: string, use: { at: Date; expiresAt: Date; before: Date }): Promise<void>
  /** Records that the user has just confirmed their identity. A session that was started with a passkey keeps this method. */
  authenticated(id: string, at: Date, method?: SignInMethod): Promise<void>
  /** Returns the language of the user's last session that began before this time. */
  language(userId: string, before: Date): Promise<string | null>
  /** Lists the sessions that `find` returns, last seen first. */
  list(userId: string, at: Date): Promise<Pick<NewSession, 'id' | 'userAgent' | 'createdAt' | 'lastSeenAt'>[]>
  /** Returns the user's ID, or null if the session does not exist or belongs to another user. */
  end(id: string, userId?: string): Promise<string | null>
  /** Returns the number of deleted rows. */
  deleteExpired(at: Date, limit: number): Promise<number>
}

/** Minimum interval between recorded uses. Recording each call would double the writes of a busy client. */
const SEEN_SECONDS = 5 * 60

/** Beyond it, the least recently seen sessions end: scripts sign in on every run and never sign out. */
const MAX_SESSIONS_PER_USER = 100

/** Longer User-Agents are cut. Browsers send about 120 characters. */
const MAX_USER_AGENT = 300

const DAY_SECONDS = 24 * 60 * 60
const IDLE_SESSION_SECONDS = 30 * DAY_SECONDS
/** Maximum lifetime of a session, even if it is used. */
export const MAX_SESSION_SECONDS = 90 * DAY_SECONDS

/** Returns when a session ends if it is not used again. */
export function sessionEnd(createdAt: Date, lastSeenAt: Date): Date {
  const idle = secondsAfter(lastSeenAt, IDLE_SESSION_SECONDS)
  const latest = secondsAfter(createdAt, MAX_SESSION_SECONDS)
  return idle < latest ? idle : latest
}

type SessionsDeps = {
  repo: SessionRepo
  /** ADMIN_REQUIRE_PASSKEY. */
  adminsNeedPasskey: boolean
  clock: Clock
  audit: Audit
}

export type Sessions = ReturnType<typeof createSessions>

/** Manages sessions. A session is a row, and a token is only as valid as its row. */
export function createSessions({ repo, adminsNeedPasskey, clock, audit }: SessionsDeps) {
  async function begin(
    user: Pick<AuthUser, 'id' | 'sessionEpoch'>,
    { userAgent, language }: Pick<Caller, 'userAgent' | 'language'>,
    method: SignInMethod,
    signedInAt: Date | null = null,
  ): Promise<{ id: string; expiresAt: Date }> {
    const now = clock.now()
    const session = { id: newId(), createdAt: now, lastSeenAt: now, expiresAt: sessionEnd(now, now) }
    const owner = { userId: user.id, epoch: user.sessionEpoch }
    const client = {
      userAgent: userAgent?.slice(0, MAX_USER_AGENT) ?? null,
      language: language?.() ?? null,
    }
    await repo.create({ ...session, ...owner, ...client, method, signedInAt }, MAX_SESSIONS_PER_USER)
    return session
  }

  /** Runs one indexed statement, and every five minutes a second one. Null if the session has ended. */
  async function find(id: string): Promise<ActiveSession | null> {
    const now = clock.now()
    const found = await repo.find(id, now)
    if (!found) return null
    const { createdAt, lastSeenAt, ...stored } = found
    const needsPasskey = adminsNeedPasskey && stored.role === 'admin' && stored.method !== 'passkey'
    const session = { ...stored, needsPasskey }
    const seenBefore = secondsAfter(now, -SEEN_SECONDS)
    if (lastSeenAt > seenBefore) return session
    const expiresAt = sessionEnd(createdAt, now)
    await repo.seen(id, { at: now, expiresAt, before: seenBefore })
    return { ...session, expiresAt }
  }

  /** Records that the user of this session has just confirmed their identity. `method`: they have signed in again with it. */
  const renew = (id: string, method?: SignInMethod): Promise<void> =>
    repo.authenticated(id, clock.now(), method)

  /** Lists the user's active sessions, last seen first. `currentId` is the session of the call. */
  async function list(userId: string, currentId: string) {
    const items = await repo.list(userId, clock.now())
    return {
      items: items.map(({ userAgent, ...session }) => ({
        ...session,
        client: clientName(userAgent),
        current: session.id === currentId,
      })),
    }
  }

  /** Ends a session of this user. @throws AppError NOT_FOUND */
  async function revoke(userId: string, id: string, address: string): Promise<void> {
    const ended = isId(id) ? await repo.end(id, userId) : null
    if (!ended) throw new AppError('NOT_FOUND', 'Session not found, or already ended.')
    await recordEnd(ended, id, address)
  }

  /** Ends the session of a token that the caller holds. */
  async function end(id: string, address: string): Promise<void> {
    const userId = await repo.end(id)
    if (userId) await recordEnd(userId, id, address)
  }

  const recordEnd = (userId: string, subjectId: string, address: string) =>
    audit.record({ action: 'session.ended', ...byUser(userId, address), subjectId })

  return { begin, find, renew, list, revoke, end }
}

type SessionSweeperDeps = {
  repo: Pick<SessionRepo, 'deleteExpired'>
  emailTokens: Pick<EmailTokenRepo, 'deleteExpired'>
  passkeys: Pick<PasskeyRepo, 'deleteExpired'>
  clock: Clock
  log: Pick<Logger, 'warn'>
}

/** Deletes the rows of expired sessions, mailed links and passkey challenges, about once an hour in each replica. */
export function createSessionSweeper({ repo, emailTokens, passkeys, clock, log }: SessionSweeperDeps) {
  return createSweepRounds({
    everyMs: 3_600_000,
    work: (inBatches) =>
      runSteps({
        sessions: () => inBatches((limit) => repo.deleteExpired(clock.now(), limit)),
        links: () => inBatches((limit) => emailTokens.deleteExpired(clock.now(), limit)),
        challenges: () => inBatches((limit) => passkeys.deleteExpired(clock.now(), limit)),
      }),
    onError: (err) => log.warn({ err }, 'could not delete expired sessions, links and challenges'),
  })
}
