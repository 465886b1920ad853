import { type Audit, userActor } from '../audit.ts'
import { type Clock, secondsAfter } from '../clock.ts'
import { AppError } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import { clientName } from './client-name.ts'
import type { AuthUser, LiveSession, SessionRepo } from './ports.ts'
import { sessionEnd } from './session-lifetime.ts'

/** How often the use of a session is written down: once a call would double the writes of a busy client. */
const SEEN_SECONDS = 5 * 60

/** Then the sessions not seen longest end: scripts sign in with every run and never sign out. */
export const MAX_SESSIONS_PER_USER = 100

/** Longer ones are cut; browsers send about 120 characters. */
const MAX_USER_AGENT = 300

export type SessionsDeps = { repo: SessionRepo; clock: Clock; audit: Audit }

export type Sessions = ReturnType<typeof createSessions>

/** Sessions are rows: a token is worth what its row says. */
export function createSessions({ repo, clock, audit }: SessionsDeps) {
  /** Begins a session of this user. */
  async function begin(
    user: Pick<AuthUser, 'id' | 'sessionEpoch'>,
    userAgent: string | null,
  ): Promise<{ id: string; expiresAt: Date }> {
    const now = clock.now()
    const session = { id: newId(), createdAt: now, lastSeenAt: now, expiresAt: sessionEnd(now, now) }
    await repo.create(
      {
        ...session,
        userId: user.id,
        epoch: user.sessionEpoch,
        userAgent: userAgent?.slice(0, MAX_USER_AGENT) ?? null,
      },
      MAX_SESSIONS_PER_USER,
    )
    return session
  }

  /** The session, if it still lives, with its user. One indexed statement; every five minutes a second one. */
  async function find(id: string): Promise<LiveSession | null> {
    const now = clock.now()
    const session = await repo.find(id, now)
    if (!session) return null
    const { lastSeenAt, ...live } = session
    const seenBefore = secondsAfter(now, -SEEN_SECONDS)
    if (lastSeenAt > seenBefore) return live
    const expiresAt = sessionEnd(live.signedInAt, now)
    await repo.seen(id, { at: now, expiresAt, before: seenBefore })
    return { ...live, expiresAt }
  }

  /** The sessions of this user that still live, last seen first; `currentId` is the one that asks. */
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
    if (!ended) throw new AppError('NOT_FOUND', 'No session of yours has this id, or it has ended.')
    await recordEnd(ended, address)
  }

  /** Ends a session whose token somebody holds. */
  async function end(id: string, address: string): Promise<void> {
    const userId = await repo.end(id)
    if (userId) await recordEnd(userId, address)
  }

  const recordEnd = (userId: string, address: string) =>
    audit.record({ action: 'session.ended', actor: userActor(userId), userId, address })

  return { begin, find, list, revoke, end }
}
