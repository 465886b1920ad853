import { type Audit, userActor } from '../audit.ts'
import { type Clock, secondsAfter } from '../clock.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { displayName } from './display-name.ts'
import type { ExternalUser, ExternalUserRepo, FoundExternalUser, VerifyExternalToken } from './ports.ts'
import { isEmail, normalizeEmail } from './schema.ts'

/** How often a use is written down, with what the token says of the user. */
const SEEN_SECONDS = 5 * 60

export type ExternalUsersDeps = {
  issuer: string
  verify: VerifyExternalToken
  repo: ExternalUserRepo
  clock: Clock
  audit: Audit
  /** Whether a user who is not known yet is made on first sight. */
  provision: boolean
}

export type ExternalUsers = ReturnType<typeof createExternalUsers>

/**
 * Users who sign in at AUTH_JWT_ISSUER. Such a user is (issuer, `sub`) and nothing else: the email and name of the
 * token are shown, and neither sign anybody in nor link accounts.
 */
export function createExternalUsers(deps: ExternalUsersDeps) {
  const { issuer, verify, repo, clock, audit } = deps

  /**
   * The user of this token, who is made if need be. One indexed statement; every five minutes a second one.
   * @throws AppError UNAUTHORIZED, which says why; INTERNAL_SERVER_ERROR while the issuer's keys cannot be loaded
   */
  return async function authenticate(token: string, address: string): Promise<ExternalUser> {
    const claims = await verify(token)
    const shown = { email: emailOf(claims.email), name: displayName(claims.name ?? '') }
    const now = clock.now()
    const user = (await repo.find(issuer, claims.sub)) ?? (await provision(claims.sub, shown, address))
    if (user.disabledAt) throw refused('This user is disabled.')
    const seenBefore = secondsAfter(now, -SEEN_SECONDS)
    if (!user.lastSeenAt || user.lastSeenAt <= seenBefore)
      await repo.seen(user.id, { ...shown, at: now, before: seenBefore })
    const { id, name, role, epoch } = user
    return { via: 'jwt', id, name, role, epoch, signedInAt: claims.signedInAt }
  }

  async function provision(
    externalId: string,
    shown: { email: string | null; name: string | null },
    address: string,
  ): Promise<FoundExternalUser> {
    if (!deps.provision)
      throw refused('This service does not know its user, and makes no new ones. Ask the operator.')
    const id = newId()
    const created = await repo.create({ id, issuer, externalId, ...shown })
    if (created)
      await audit.record({
        action: 'account.created',
        actor: userActor(id),
        userId: id,
        address,
        details: { method: 'jwt', issuer },
      })
    // Of two first calls at once both find what one of them made.
    const user = await repo.find(issuer, externalId)
    if (!user) throw refused('The account of this user is being deleted. Try again in a minute.')
    return user
  }
}

function refused(reason: string): AppError {
  return new AppError('UNAUTHORIZED', `The bearer token is not accepted. ${reason}`)
}

function emailOf(claim: string | null): string | null {
  const email = normalizeEmail(claim ?? '')
  return isEmail(email) ? email : null
}
