import type { Audit, AuditEvent } from '../../kernel/audit.ts'
import { type Clock, secondsAfter } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import { invalidFields } from '../../kernel/validation.ts'
import { type ExternalUserRepo, type FindByExternalId, issuerOfNewUsers } from './external-users.ts'
import type { Role, UserTokenUser } from './principal.ts'
import { displayName } from './schema.ts'
import type { UserTokenCodec } from './user-token.ts'
import type { CreateUserTokenInput } from './user-token-schema.ts'

/** State of a token's user and server key. */
type TokenStatus = {
  name: string | null
  role: Role
  epoch: number
  disabledAt: Date | null
  lastSeenAt: Date | null
  /** False if the server key was revoked or has expired. */
  isKeyActive: boolean
}

export type UserTokenRepo = {
  /** Runs one indexed statement. Null: no such user, or the user is being deleted. */
  status(userId: string, serverKeyId: string | null): Promise<TokenStatus | null>
  /** Records a use of the user, unless one was recorded after `before`. */
  seen(userId: string, use: { at: Date; before: Date }): Promise<void>
}

/**
 * A token must stop working within 5 seconds of the end of its user or key. The rest of that time is for the statement.
 */
const STATUS_CACHE_MS = 4_000
/** An entry takes about 300 bytes. */
const MAX_ENTRIES = 10_000
/** Minimum interval between recorded uses. */
const SEEN_SECONDS = 5 * 60

type UserTokensDeps = {
  codec: UserTokenCodec
  repo: UserTokenRepo
  externalUsers: Pick<ExternalUserRepo, 'create' | 'setProfile'>
  findByExternalId: FindByExternalId
  /** AUTH_JWT_ISSUER, or undefined without one. */
  issuer: string | undefined
  /** Returns true for the name of an upload policy. */
  isPolicy: (name: string) => boolean
  clock: Clock
  audit: Audit
}

type Minter = Pick<AuditEvent, 'actor' | 'address'> & { serverKeyId: string | null }

export type UserTokens = ReturnType<typeof createUserTokens>

/** Creates and checks the short-lived credentials that an app's backend gives to its users. */
export function createUserTokens(deps: UserTokensDeps) {
  const { codec, repo, externalUsers, findByExternalId, clock, audit } = deps
  const issuer = issuerOfNewUsers(deps.issuer)
  const statuses = new Map<string, { at: number; status: Promise<TokenStatus | null> }>()

  /** Asks the database at most every `STATUS_CACHE_MS` for a user and key. */
  function status(userId: string, serverKeyId: string | null): Promise<TokenStatus | null> {
    const key = `${userId}:${serverKeyId}`
    const at = performance.now()
    const known = statuses.get(key)
    if (known && at - known.at < STATUS_CACHE_MS) return known.status
    statuses.delete(key)
    // A Map keeps insertion order, so this deletes the oldest entry.
    if (statuses.size >= MAX_ENTRIES) statuses.delete(statuses.keys().next().value!)
    const found = repo.status(userId, serverKeyId)
    const entry = { at, status: found }
    statuses.set(key, entry)
    const forget = () => {
      if (statuses.get(key) === entry) statuses.delete(key)
    }
    // Cache only states that accept tokens, so that they work again as soon as their user is enabled.
    found.then((status) => {
      if (!status || status.disabledAt || !status.isKeyActive) forget()
    }, forget)
    return found
  }

  async function userOf(input: CreateUserTokenInput, by: Minter) {
    const { userId, externalId } = input
    if (externalId === undefined) {
      const id = userId ?? ''
      const user = isId(id) ? await repo.status(id, null) : null
      if (!user) throw new AppError('NOT_FOUND', 'User not found. Check userId.')
      return { id, disabledAt: user.disabledAt }
    }
    const profile = { email: input.email ?? null, name: displayName(input.name ?? '') }
    const known = await findByExternalId(externalId)
    if (!known) return provision(externalId, profile, by)
    const isNew = (given: string | null, stored: string | null) => given !== null && given !== stored
    if (isNew(profile.email, known.email) || isNew(profile.name, known.name))
      await externalUsers.setProfile(known.id, profile)
    return known
  }

  async function provision(
    externalId: string,
    profile: { email: string | null; name: string | null },
    { actor, address }: Minter,
  ) {
    const id = newId()
    if (await externalUsers.create({ id, issuer, externalId, ...profile })) {
      const details = { method: 'backend', issuer }
      await audit.record({ action: 'account.created', actor, userId: id, address, details })
    }
    // If two first calls run at once, both find the user that one of them created.
    const user = await findByExternalId(externalId)
    if (!user) throw new AppError('CONFLICT', "This user's account is being deleted. Try again in a minute.")
    return user
  }

  return {
    /**
     * Returns a signed token. Runs one indexed statement and writes nothing for a known user.
     * @throws AppError BAD_REQUEST (unknown policy), NOT_FOUND, CONFLICT (the user is disabled)
     */
    async mint(input: CreateUserTokenInput, by: Minter) {
      const { scopes, ttlSeconds, upload } = input
      const { maxFiles = null, maxBytes = null, policy = null, data = null } = upload ?? {}
      if (policy !== null && !deps.isPolicy(policy)) throw unknownPolicy(policy)
      const user = await userOf(input, by)
      if (user.disabledAt) throw new AppError('CONFLICT', 'This user is disabled. Enable the user first.')
      const isLimited = [maxFiles, maxBytes, policy, data].some((value) => value !== null)
      // The token's time has whole seconds.
      const now = new Date(Math.floor(clock.now().getTime() / 1000) * 1000)
      const expiresAt = secondsAfter(now, ttlSeconds)
      const token = codec.issue({
        userId: user.id,
        serverKeyId: by.serverKeyId,
        scopes,
        uploadLimits: isLimited ? { tokenId: newId(), maxFiles, maxBytes, policy, data } : null,
        expiresAt,
      })
      return { token, expiresAt, userId: user.id }
    },

    /** Runs one indexed statement every few seconds. @throws AppError UNAUTHORIZED, with the reason */
    async authenticate(token: string): Promise<UserTokenUser> {
      const claims = codec.read(token)
      if (!claims) throw invalid('Its signature is wrong.')
      const now = clock.now()
      if (claims.expiresAt <= now) throw invalid('It has expired. Ask your backend for a new one.')
      const { userId, serverKeyId, scopes, uploadLimits } = claims
      const found = await status(userId, serverKeyId)
      if (!found) throw invalid('Its user no longer exists.')
      if (found.disabledAt) throw invalid('Its user is disabled.')
      if (!found.isKeyActive) throw invalid('The server key that created it was revoked or has expired.')
      const { name, role, epoch, lastSeenAt } = found
      const seenBefore = secondsAfter(now, -SEEN_SECONDS)
      if (!lastSeenAt || lastSeenAt <= seenBefore) {
        found.lastSeenAt = now
        await repo.seen(userId, { at: now, before: seenBefore })
      }
      return { via: 'userToken', id: userId, name, role, epoch, scopes, uploadLimits }
    },
  }
}

function invalid(reason: string): AppError {
  return new AppError('UNAUTHORIZED', `The user token is invalid. ${reason}`)
}

function unknownPolicy(name: string): AppError {
  const problem = `must be the name of an upload policy; ${JSON.stringify(name.slice(0, 64))} is not one`
  return invalidFields({ 'upload.policy': [problem] })
}
