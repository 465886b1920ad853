import { type Audit, byUser } from '../../kernel/audit.ts'
import { type Clock, secondsAfter } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { ExternalUser } from './principal.ts'
import { displayName, isEmail, normalizeEmail } from './schema.ts'

type Profile = { email: string | null; name: string | null }

/** Claims of an external issuer's JWT about its user, unchanged. */
type ExternalClaims = Profile & {
  sub: string
  /** `auth_time`, else `iat`. */
  signedInAt: Date | null
}

/** @throws AppError UNAUTHORIZED, with the reason; INTERNAL_SERVER_ERROR while the issuer's keys cannot be loaded */
export type VerifyExternalToken = (token: string) => Promise<ExternalClaims>

type FoundExternalUser = Omit<ExternalUser, 'via' | 'signedInAt'> & {
  /** For display only. */
  email: string | null
  disabledAt: Date | null
  lastSeenAt: Date | null
}

/** Users of an external issuer. `externalId` is the `sub` of their tokens. */
export type ExternalUserRepo = {
  /** Runs one indexed statement. */
  find(issuer: string, externalId: string): Promise<FoundExternalUser | null>
  /** Returns false if the user exists. The email is only displayed. */
  create(user: Profile & { id: string; issuer: string; externalId: string }): Promise<boolean>
  /** Replaces what the profile states. */
  setProfile(id: string, profile: Profile): Promise<void>
  /** Records a use and the token's profile, unless a use was recorded after `before`. */
  seen(id: string, use: Profile & { at: Date; before: Date }): Promise<void>
}

/** Issuer of the users whom a backend names without AUTH_JWT_ISSUER. No issuer has this name. */
const BACKEND_ISSUER = 'backend'

/** Returns the issuer of users that a backend creates with an `externalId`. */
export const issuerOfNewUsers = (issuer: string | undefined) => issuer ?? BACKEND_ISSUER

/** Returns the user whom a backend means by an `externalId`, or null. */
export type FindByExternalId = (externalId: string) => Promise<FoundExternalUser | null>

/**
 * If an issuer is configured, its own user takes precedence over one that was created before. Only a backend can name
 * the latter: a JWT with the same `sub` could belong to someone else.
 */
export function createFindByExternalId(
  repo: Pick<ExternalUserRepo, 'find'>,
  issuer: string | undefined,
): FindByExternalId {
  return async (externalId) => {
    const own = issuer === undefined ? null : await repo.find(issuer, externalId)
    return own ?? repo.find(BACKEND_ISSUER, externalId)
  }
}

/** Minimum interval between recorded uses. */
const SEEN_SECONDS = 5 * 60

type ExternalUsersDeps = {
  issuer: string
  verify: VerifyExternalToken
  repo: ExternalUserRepo
  clock: Clock
  audit: Audit
  /** True to create unknown users. */
  provision: boolean
}

export type ExternalUsers = ReturnType<typeof createExternalUsers>

/**
 * Authenticates users who sign in at AUTH_JWT_ISSUER. Issuer and `sub` alone identify them: the email and name in the
 * token are displayed, but never sign anyone in or link accounts.
 */
export function createExternalUsers(deps: ExternalUsersDeps) {
  const { issuer, verify, repo, clock, audit } = deps

  /**
   * Returns the user of this token and creates an unknown one if allowed. Runs one indexed statement, and every five
   * minutes a second one.
   * @throws AppError UNAUTHORIZED, with the reason; INTERNAL_SERVER_ERROR while the issuer's keys cannot be loaded
   */
  return async function authenticate(token: string, address: string): Promise<ExternalUser> {
    const claims = await verify(token)
    const profile = { email: emailOf(claims.email), name: displayName(claims.name ?? '') }
    const now = clock.now()
    const user = (await repo.find(issuer, claims.sub)) ?? (await provision(claims.sub, profile, address))
    if (user.disabledAt) throw invalid('This user is disabled.')
    const seenBefore = secondsAfter(now, -SEEN_SECONDS)
    if (!user.lastSeenAt || user.lastSeenAt <= seenBefore)
      await repo.seen(user.id, { ...profile, at: now, before: seenBefore })
    const { id, name, role, epoch } = user
    return { via: 'jwt', id, name, role, epoch, signedInAt: claims.signedInAt }
  }

  async function provision(externalId: string, profile: Profile, address: string) {
    if (!deps.provision)
      throw invalid(
        'Its user has no account here, and this service does not create one automatically. Ask the operator.',
      )
    const id = newId()
    if (await repo.create({ id, issuer, externalId, ...profile })) {
      const details = { method: 'jwt', issuer }
      await audit.record({ action: 'account.created', ...byUser(id, address), details })
    }
    // If two first calls run at once, both find the user that one of them created.
    const user = await repo.find(issuer, externalId)
    if (!user) throw invalid("This user's account is being deleted. Try again in a minute.")
    return user
  }
}

function invalid(reason: string): AppError {
  return new AppError('UNAUTHORIZED', `The bearer token is invalid. ${reason}`)
}

function emailOf(claim: string | null): string | null {
  const email = normalizeEmail(claim ?? '')
  return isEmail(email) ? email : null
}
