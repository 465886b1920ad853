import type { AuditEvent } from '../../kernel/audit.ts'
import { type Clock, daysAfter, secondsAfter } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import { hashToken, newToken } from '../../kernel/tokens.ts'
import type { ExternalUser, SessionUser } from './principal.ts'
import { requireRecentSignIn } from './recent-sign-in.ts'
import type { CreateServerKeyInput, ServerKeyScope, ServerKeyView } from './server-key-schema.ts'

type NewServerKey = Omit<ServerKeyView, 'lastUsedAt'> & { hash: string }

type FoundServerKey = Pick<ServerKeyView, 'id' | 'scopes' | 'expiresAt' | 'lastUsedAt'>

type AdminActor = Pick<AuditEvent, 'actor' | 'address'> & {
  user: Pick<SessionUser | ExternalUser, 'via' | 'signedInAt'> | null
}

/** Also writes each change to the audit log. */
export type ServerKeyRepo = {
  /** Also deletes expired keys. Returns false if there are already `max`. Concurrent calls wait for each other. */
  create(key: NewServerKey, max: number, by: AdminActor): Promise<boolean>
  /** Newest first. */
  list(): Promise<ServerKeyView[]>
  /** Returns false if no key has this ID. */
  revoke(id: string, by: Pick<AuditEvent, 'actor' | 'address'>): Promise<boolean>
  find(hash: string): Promise<FoundServerKey | null>
  /** Records a use, unless one was recorded after `before`. */
  used(id: string, use: { at: Date; before: Date }): Promise<void>
}

/** A deployment that needs more probably creates one in every run of a script. */
export const MAX_SERVER_KEYS = 100
/** Minimum interval between recorded uses. */
const USED_SECONDS = 60

/** `sk_` and 32 random bytes. */
const RAW_KEY = /^sk_[\w-]{43}$/

/** Returns true if the text has the format of a server key, valid or not. */
export const isServerKey = (credential: string | undefined): credential is string =>
  credential !== undefined && RAW_KEY.test(credential)

export type ServerKeys = ReturnType<typeof createServerKeys>

/** Manages the credentials of an app's backend. */
export function createServerKeys({ repo, clock }: { repo: ServerKeyRepo; clock: Clock }) {
  return {
    /**
     * Returns the raw key, `sk_` and 256 random bits. Only its hash is stored.
     * @throws AppError CONFLICT (too many keys), FORBIDDEN (the administrator's sign-in is not recent)
     */
    async create({ name, scopes, expiresInDays }: CreateServerKeyInput, by: AdminActor) {
      const createdAt = clock.now()
      if (by.user) requireRecentSignIn(by.user, createdAt)
      const key = `sk_${newToken()}`
      const expiresAt = daysAfter(createdAt, expiresInDays)
      const id = newId()
      const row = { id, hash: hashToken(key), name, scopes, suffix: key.slice(-4), createdAt, expiresAt }
      if (!(await repo.create(row, MAX_SERVER_KEYS, by)))
        throw new AppError(
          'CONFLICT',
          `This service can have at most ${MAX_SERVER_KEYS} active server keys. Revoke one you no longer need.`,
        )
      return { id, key, expiresAt }
    },

    /** Newest first, including expired keys. */
    list: async () => ({ items: await repo.list() }),

    /** Ends the key, and within seconds the user tokens that it created. @throws AppError NOT_FOUND */
    async revoke(id: string, by: Pick<AuditEvent, 'actor' | 'address'>): Promise<void> {
      if (!isId(id) || !(await repo.revoke(id, by))) throw new AppError('NOT_FOUND', 'Server key not found.')
    },

    /** Runs one indexed statement, and once a minute a second one. Null if the key is unknown, expired or revoked. */
    async authenticate(key: string): Promise<{ id: string; scopes: readonly ServerKeyScope[] } | null> {
      const found = await repo.find(hashToken(key))
      const now = clock.now()
      if (!found || found.expiresAt <= now) return null
      const usedBefore = secondsAfter(now, -USED_SECONDS)
      if (!found.lastUsedAt || found.lastUsedAt <= usedBefore)
        await repo.used(found.id, { at: now, before: usedBefore })
      return { id: found.id, scopes: found.scopes }
    },
  }
}
