import type { z } from 'zod'
import { type Clock, daysAfter, secondsAfter } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import { countUpTo, type RateCounter } from '../../kernel/rate-counter.ts'
import { hashToken, newToken } from '../../kernel/tokens.ts'
import { invalidFields } from '../../kernel/validation.ts'
import type { Notices } from './notices.ts'
import type { ApiKeyUser, Caller, Principal } from './principal.ts'
import type { ApiKeyScope, apiKeysOutput, CreateApiKeyInput } from './schema.ts'

type ApiKeyView = z.input<typeof apiKeysOutput>['items'][number]

/** API key to store. `epoch`: see `PrincipalUser`. */
type NewApiKey = Omit<ApiKeyView, 'scopes' | 'lastUsedAt'> & {
  hash: string
  userId: string
  epoch: number
  scopes: readonly ApiKeyScope[]
}

type FoundApiKey = Omit<ApiKeyUser, 'via'> & {
  expiresAt: Date
  lastUsedAt: Date | null
  disabledAt: Date | null
}

/** Also writes each change to the audit log. */
export type ApiKeyRepo = {
  /** Also deletes the user's expired keys. `onNew` is called before a key is stored; if it throws, nothing changes. */
  create(
    key: NewApiKey,
    options: { max: number; address: string; onNew: () => Promise<void> },
  ): Promise<'created' | 'tooMany' | 'accessEnded'>
  list(userId: string): Promise<ApiKeyView[]>
  /** Returns false if the user has no key with this ID. */
  revoke(userId: string, id: string, address: string): Promise<boolean>
  find(hash: string): Promise<FoundApiKey | null>
  /** Records a use of the key and its user, unless one was recorded after `before`. */
  used(keyId: string, use: { at: Date; before: Date }): Promise<void>
}

/** A user who needs more probably has a script that creates one on every run. */
export const MAX_API_KEYS_PER_USER = 100
/** Revoked ones count, because each key writes two audit entries. */
const MAX_NEW_API_KEYS_PER_DAY = 1000
const DEFAULT_DAYS = 365
/** Maximum and default lifetime of a key that a user of the external issuer creates with a JWT. */
const EXTERNAL_MAX_DAYS = 90
/** Minimum interval between recorded uses. */
const USED_SECONDS = 60

type ApiKeysDeps = {
  repo: ApiKeyRepo
  /** Counts by user and day. */
  newKeys: Pick<RateCounter, 'increment'>
  notices: Pick<Notices, 'newApiKey'>
  clock: Clock
}

export type ApiKeys = ReturnType<typeof createApiKeys>

/** Manages the credentials of a user's scripts. Each key can do what its scopes name; no key can create another. */
export function createApiKeys({ repo, newKeys, notices, clock }: ApiKeysDeps) {
  return {
    /**
     * Returns the raw key, `pk_` and 256 random bits. Only its hash is stored.
     * @throws AppError BAD_REQUEST (too long for a user of the external issuer), UNAUTHORIZED (access ended during the
     * call), CONFLICT (too many keys), TOO_MANY_REQUESTS
     */
    async create(
      user: Principal,
      { name, expiresInDays, scopes }: CreateApiKeyInput,
      { address, language }: Pick<Caller, 'address' | 'language'>,
    ): Promise<{ id: string; token: string; expiresAt: Date }> {
      const token = `pk_${newToken()}`
      const createdAt = clock.now()
      const expiresAt = daysAfter(createdAt, lifetimeDays(user, expiresInDays))
      const id = newId()
      const owner = { userId: user.id, epoch: user.epoch }
      const key = { id, hash: hashToken(token), name, scopes, suffix: token.slice(-4), createdAt, expiresAt }
      const onNew = () =>
        countUpTo(
          MAX_NEW_API_KEYS_PER_DAY,
          newKeys,
          user.id,
          `You can create at most ${MAX_NEW_API_KEYS_PER_DAY} API keys per day, including revoked ones. Use an existing key, or try again later.`,
        )
      const created = await repo.create({ ...key, ...owner }, { max: MAX_API_KEYS_PER_USER, address, onNew })
      if (created === 'accessEnded')
        throw new AppError('UNAUTHORIZED', 'Your session has ended. Sign in again.')
      if (created === 'tooMany')
        throw new AppError(
          'CONFLICT',
          `You can have at most ${MAX_API_KEYS_PER_USER} API keys. Revoke one you no longer need.`,
        )
      notices.newApiKey(user.id, language)
      return { id, token, expiresAt }
    },

    /** Newest first, including expired keys. */
    list: async (userId: string) => ({ items: await repo.list(userId) }),

    /** @throws AppError NOT_FOUND */
    async revoke(userId: string, id: string, address: string): Promise<void> {
      if (!isId(id) || !(await repo.revoke(userId, id, address)))
        throw new AppError('NOT_FOUND', 'API key not found.')
    },

    /** Runs one indexed statement, and once a minute a second one. @throws AppError UNAUTHORIZED, with the reason */
    async authenticate(token: string): Promise<ApiKeyUser> {
      const key = await repo.find(hashToken(token))
      const now = clock.now()
      if (!key) throw invalid('It is unknown or was revoked.')
      if (key.expiresAt <= now) throw invalid('It has expired. Create a new one.')
      if (key.disabledAt) throw invalid('Its user is disabled.')
      const usedBefore = secondsAfter(now, -USED_SECONDS)
      if (!key.lastUsedAt || key.lastUsedAt <= usedBefore)
        await repo.used(key.keyId, { at: now, before: usedBefore })
      const { id, name, role, epoch, keyId, scopes } = key
      return { via: 'apiKey', id, name, role, epoch, keyId, scopes }
    },
  }
}

function invalid(reason: string): AppError {
  return new AppError('UNAUTHORIZED', `The API key is invalid. ${reason}`)
}

/** @throws AppError BAD_REQUEST */
function lifetimeDays({ via }: Principal, days: number | undefined): number {
  if (via !== 'jwt') return days ?? DEFAULT_DAYS
  if (days === undefined || days <= EXTERNAL_MAX_DAYS) return days ?? EXTERNAL_MAX_DAYS
  const problem = `must be at most ${EXTERNAL_MAX_DAYS} for users of an external issuer`
  throw invalidFields({ expiresInDays: [problem] })
}
