import { createHash, randomBytes } from 'node:crypto'
import { type Clock, secondsAfter } from '../clock.ts'
import { AppError } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import { type FindExternalUser, requireExternalUser } from './external-user.ts'
import { type Page, pageOf, wrongCursor } from './page.ts'
import type { AdministeredBy, AdminPushToken, PushCredential, PushTokenRepo, PushTokenView } from './ports.ts'
import { type CreateTokenInput, type ListAllTokensInput, SCOPES, type Scope } from './schema.ts'

/** `ph_` and 32 random bytes: secret scanners recognise it, and nobody can guess it. */
const RAW_TOKEN = /^ph_[A-Za-z0-9_-]{43}$/
const DAY_SECONDS = 86_400

/** Whether it has the form of a push token, valid or not. */
export function isPushToken(raw: string | undefined): raw is string {
  return raw !== undefined && RAW_TOKEN.test(raw)
}

export type PushTokens = ReturnType<typeof createPushTokens>

export type PushTokensDeps = {
  tokens: PushTokenRepo
  findExternalUser: FindExternalUser | undefined
  clock: Clock
}

export function createPushTokens({ tokens, findExternalUser, clock }: PushTokensDeps) {
  /** Checked by the schema: one of the two is given. */
  const ownerOf = async ({ userId, externalUserId }: CreateTokenInput): Promise<string> =>
    externalUserId === undefined
      ? (userId ?? '')
      : await requireExternalUser(findExternalUser, externalUserId)

  return {
    /**
     * The answer has the raw token; only its hash is stored.
     * @throws AppError NOT_FOUND; BAD_REQUEST (externalUserId without an issuer)
     */
    async create(
      input: CreateTokenInput,
      by: AdministeredBy,
    ): Promise<{ token: string; expiresAt: string; id: string }> {
      const raw = `ph_${randomBytes(32).toString('base64url')}`
      const createdAt = clock.now()
      const expiresAt = secondsAfter(createdAt, input.expiresInDays * DAY_SECONDS)
      const id = newId()
      const userId = await ownerOf(input)
      const { name } = input
      const scopes = input.scopes ?? defaultScopes(input.allowBroadcast ?? true)
      const allowBroadcast = scopes.includes('broadcast')
      const token = {
        id,
        userId,
        name,
        allowBroadcast,
        scopes,
        createdAt,
        expiresAt,
        lastUsedAt: null,
        revokedAt: null,
      }
      const created = isId(userId) && (await tokens.create({ ...token, hash: hashOf(raw) }, by))
      if (!created) throw noSuchUser()
      return { token: raw, expiresAt: expiresAt.toISOString(), id }
    },

    /** All tokens of a user, newest first; none for an unknown user. */
    async list(userId: string): Promise<PushTokenView[]> {
      return isId(userId) ? tokens.list(userId) : []
    },

    /**
     * Of all users or one, newest first, revoked ones too; none for an unknown user.
     * @throws AppError BAD_REQUEST: the cursor is not one of ours
     */
    async listAll({ userId, cursor, limit }: ListAllTokensInput): Promise<Page<AdminPushToken>> {
      if (cursor !== undefined && !isId(cursor)) throw wrongCursor()
      if (userId !== undefined && !isId(userId)) return { items: [], nextCursor: null }
      return pageOf(await tokens.search({ userId, beforeId: cursor, limit: limit + 1 }), limit)
    },

    /**
     * Also cancels what the token has broadcast and is not sent yet.
     * @throws AppError NOT_FOUND
     */
    async revoke(id: string, by: AdministeredBy): Promise<void> {
      if (!isId(id) || !(await tokens.revoke(id, clock.now(), by)))
        throw new AppError('NOT_FOUND', 'There is no push token with this id.')
    },

    /** Null: missing, unknown, expired or revoked. */
    async authenticate(raw: string | undefined): Promise<PushCredential | null> {
      if (!isPushToken(raw)) return null
      return tokens.use(hashOf(raw), clock.now())
    },
  }
}

/** Of a token that was made without `scopes`. */
export function defaultScopes(allowBroadcast: boolean): Scope[] {
  return SCOPES.filter((scope) => scope !== 'broadcast' || allowBroadcast)
}

function hashOf(raw: string): string {
  return createHash('sha256').update(raw).digest('hex')
}

function noSuchUser(): AppError {
  return new AppError('NOT_FOUND', 'There is no user with this userId.')
}
