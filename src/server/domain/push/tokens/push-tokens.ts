import type { AdminActor } from '../../../kernel/audit.ts'
import { type Clock, daysAfter } from '../../../kernel/clock.ts'
import { AppError } from '../../../kernel/errors.ts'
import { isId, newId } from '../../../kernel/ids.ts'
import { type Page, readPage } from '../../../kernel/page.ts'
import { hashToken, newToken } from '../../../kernel/tokens.ts'
import { type FindExternalUser, requireExternalUser } from '../messages/external-user.ts'
import {
  type AdminPushToken,
  type CreateTokenInput,
  type ListAllTokensInput,
  type PushTokenView,
  SCOPES,
  type Scope,
} from './schema.ts'

/** Push token that is valid now. */
export type PushCredential = { id: string; userId: string; scopes: readonly Scope[] }

export type PushTokenRepo = {
  /** Also writes an audit entry. Returns false if the user does not exist. */
  create(
    token: Omit<AdminPushToken, 'user'> & { hash: string; suffix: string },
    by: AdminActor,
  ): Promise<boolean>
  list(userId: string): Promise<PushTokenView[]>
  /** Returns tokens of all users or one, newest first. */
  search(search: {
    userId: string | undefined
    /** State at `now`. Undefined: any. */
    status: ListAllTokensInput['status']
    now: Date
    beforeId: string | undefined
    limit: number
  }): Promise<AdminPushToken[]>
  /** Also cancels its unfinished messages and writes an audit entry. Returns false if the token does not exist. */
  revoke(id: string, at: Date, by: AdminActor): Promise<boolean>
  /** Returns the valid token with this hash. Records its use at most once a minute. */
  use(hash: string, at: Date): Promise<PushCredential | null>
  /** Like `use`, but by ID and owner. */
  authenticateOwn(id: string, userId: string, at: Date): Promise<PushCredential | null>
}

/** `ph_` and 32 random bytes. Secret scanners recognize the prefix. */
const RAW_TOKEN = /^ph_[A-Za-z0-9_-]{43}$/

/** Returns true if the text has the format of a push token, valid or not. */
export function isPushToken(raw: string | undefined): raw is string {
  return raw !== undefined && RAW_TOKEN.test(raw)
}

export type PushTokens = ReturnType<typeof createPushTokens>

export type PushTokensDeps = {
  tokens: PushTokenRepo
  findExternalUser: FindExternalUser
  clock: Clock
}

export function createPushTokens({ tokens, findExternalUser, clock }: PushTokensDeps) {
  return {
    /**
     * Creates a push token and returns it. It cannot be retrieved later, because only its hash is stored.
     * @throws AppError NOT_FOUND
     */
    async create(
      { name, expiresInDays, scopes: given, allowBroadcast = true, ...owner }: CreateTokenInput,
      by: AdminActor,
    ): Promise<{ token: string; expiresAt: string; id: string }> {
      const { externalUserId } = owner
      const userId =
        externalUserId === undefined
          ? (owner.userId ?? '')
          : await requireExternalUser(findExternalUser, externalUserId)
      const id = newId()
      const raw = `ph_${newToken()}`
      const createdAt = clock.now()
      const expiresAt = daysAfter(createdAt, expiresInDays)
      const scopes = given ?? defaultScopes(allowBroadcast)
      const token = { id, userId, name, scopes, allowBroadcast: scopes.includes('broadcast') }
      const times = { createdAt, expiresAt, lastUsedAt: null, revokedAt: null }
      if (
        !isId(userId) ||
        !(await tokens.create({ ...token, ...times, hash: hashToken(raw), suffix: raw.slice(-4) }, by))
      )
        throw new AppError('NOT_FOUND', 'User not found. Check userId.')
      return { token: raw, expiresAt: expiresAt.toISOString(), id }
    },

    /** Returns all tokens of a user, newest first; none for an unknown user. */
    async list(userId: string): Promise<PushTokenView[]> {
      return isId(userId) ? tokens.list(userId) : []
    },

    /**
     * Returns a page of tokens of all users or one, newest first, including revoked ones; none for an unknown user.
     * @throws AppError BAD_REQUEST if this service did not issue the cursor
     */
    async listAll({ userId, status, ...page }: ListAllTokensInput): Promise<Page<AdminPushToken>> {
      return readPage(page, async (range) =>
        userId === undefined || isId(userId)
          ? tokens.search({ userId, status, now: clock.now(), ...range })
          : [],
      )
    },

    /**
     * Revokes a token and cancels its unfinished broadcasts. Idempotent.
     * @throws AppError NOT_FOUND
     */
    async revoke(id: string, by: AdminActor): Promise<void> {
      if (!isId(id) || !(await tokens.revoke(id, clock.now(), by)))
        throw new AppError('NOT_FOUND', 'Push token not found.')
    },

    /**
     * Returns a valid token by its ID, for its owner. Null as `userId`: the caller owns no tokens.
     * @throws AppError NOT_FOUND if the token is unknown, expired, revoked or another user's
     */
    async authenticateOwner(id: string, userId: string | null): Promise<PushCredential> {
      const token = isId(id) && userId !== null ? await tokens.authenticateOwn(id, userId, clock.now()) : null
      if (token) return token
      throw new AppError(
        'NOT_FOUND',
        'Push token not found among those you own, or it has expired or was revoked. Nothing was sent.',
        { fieldErrors: { id: ['must be the ID of a valid push token that you own'] } },
      )
    },

    /** Returns null if the token is missing, unknown, expired or revoked. */
    async authenticate(raw: string | undefined): Promise<PushCredential | null> {
      return isPushToken(raw) ? tokens.use(hashToken(raw), clock.now()) : null
    },
  }
}

/** Returns the scopes of a token created without `scopes`. */
export function defaultScopes(allowBroadcast: boolean): Scope[] {
  return SCOPES.filter((scope) => scope !== 'broadcast' || allowBroadcast)
}
