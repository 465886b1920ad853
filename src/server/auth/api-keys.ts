import { createHash, randomBytes } from 'node:crypto'
import { type Clock, secondsAfter } from '../clock.ts'
import { AppError } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import type { ApiKeyRepo, ApiKeyUser, ApiKeyView, Principal } from './ports.ts'
import type { CreateApiKeyInput } from './schema.ts'

/** More are a script that makes one with every run. */
export const MAX_API_KEYS_PER_USER = 100
const DAY_SECONDS = 86_400
/** How often a use is written down. */
const USED_SECONDS = 60

export type ApiKeysDeps = { repo: ApiKeyRepo; clock: Clock }

export type ApiKeys = ReturnType<typeof createApiKeys>

/** Credentials of a user's scripts: each does what its scopes name, and no key makes another. */
export function createApiKeys({ repo, clock }: ApiKeysDeps) {
  return {
    /**
     * The answer has the raw key, `pk_` and 256 random bits; only its hash is stored.
     * @throws AppError UNAUTHORIZED (access has ended since the call was let in), CONFLICT (too many keys)
     */
    async create(
      user: Principal,
      { name, expiresInDays, scopes }: CreateApiKeyInput,
      address: string,
    ): Promise<{ id: string; token: string; expiresAt: Date }> {
      const token = `pk_${randomBytes(32).toString('base64url')}`
      const createdAt = clock.now()
      const expiresAt = secondsAfter(createdAt, expiresInDays * DAY_SECONDS)
      const id = newId()
      const key = {
        id,
        hash: hashOf(token),
        userId: user.id,
        epoch: user.epoch,
        name,
        scopes,
        createdAt,
        expiresAt,
      }
      const created = await repo.create(key, { max: MAX_API_KEYS_PER_USER, address })
      if (created === 'accessEnded')
        throw new AppError('UNAUTHORIZED', 'Your session has ended. Sign in again.')
      if (created === 'tooMany')
        throw new AppError(
          'CONFLICT',
          `A user has at most ${MAX_API_KEYS_PER_USER} API keys. Revoke one that is not needed.`,
        )
      return { id, token, expiresAt }
    },

    /** Newest first, expired ones too. */
    list: async (userId: string): Promise<{ items: ApiKeyView[] }> => ({ items: await repo.list(userId) }),

    /** @throws AppError NOT_FOUND */
    async revoke(userId: string, id: string, address: string): Promise<void> {
      if (!isId(id) || !(await repo.revoke(userId, id, address)))
        throw new AppError('NOT_FOUND', 'No API key of yours has this id.')
    },

    /** One indexed statement; every minute a second one. @throws AppError UNAUTHORIZED, which says why */
    async authenticate(token: string): Promise<ApiKeyUser> {
      const key = await repo.find(hashOf(token))
      const now = clock.now()
      if (!key) throw refused('It is unknown or was revoked.')
      if (key.expiresAt <= now) throw refused('It has expired. Make a new one.')
      if (key.disabledAt) throw refused('Its user is disabled.')
      const usedBefore = secondsAfter(now, -USED_SECONDS)
      if (!key.lastUsedAt || key.lastUsedAt <= usedBefore)
        await repo.used(key.keyId, { at: now, before: usedBefore })
      const { id, name, role, epoch, keyId, scopes } = key
      return { via: 'apiKey', id, name, role, epoch, keyId, scopes }
    },
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

function refused(reason: string): AppError {
  return new AppError('UNAUTHORIZED', `The API key is not accepted. ${reason}`)
}
