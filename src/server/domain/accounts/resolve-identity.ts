import { byUser } from '../../kernel/audit.ts'
import { newId } from '../../kernel/ids.ts'
import { type AccountsDeps, verifyByOf } from './accounts.ts'
import type { PasskeyRepo } from './passkeys.ts'
import type { Caller } from './principal.ts'
import { isEmail, normalizeEmail } from './schema.ts'
import type { AuthUser, Identity } from './user-repo.ts'

/** Why a provider's sign-in is rejected. The sign-in page has a message for each. */
type IdentityRejection =
  | 'EmailMissing'
  | 'OAuthAccountNotLinked'
  | 'SignUpDisabled'
  | 'AccountDisabled'
  | 'PasskeyRequired'

type IdentitiesDeps = Pick<
  AccountsDeps,
  'users' | 'emailLinks' | 'clock' | 'audit' | 'allowSignUp' | 'sendsMail'
> & {
  passkeys: Pick<PasskeyRepo, 'isRequired'>
}

export type ResolveIdentity = ReturnType<typeof createResolveIdentity>

/**
 * Finds, links or creates the user of a provider's identity. A known identity keeps its user, whatever its email is
 * now. An unknown one is linked by email only if the provider has verified that email. If the account's email was not
 * verified before, the account loses what others added.
 */
export function createResolveIdentity(deps: IdentitiesDeps) {
  const { users, passkeys, emailLinks, clock, audit, allowSignUp, sendsMail } = deps

  return async function resolveIdentity(
    identity: Identity,
    address: string,
    language?: Caller['language'],
  ): Promise<AuthUser | IdentityRejection> {
    const email = normalizeEmail(identity.email)
    // If the user signs in from two windows at once, the second attempt finds what the other window created.
    const user = (await attempt()) ?? (await attempt()) ?? 'OAuthAccountNotLinked'
    const needsPasskey = typeof user !== 'string' && (await passkeys.isRequired(user.id))
    const found = needsPasskey ? 'PasskeyRequired' : user
    const method = identity.provider
    if (typeof found === 'string') {
      const details = { method, reason: found }
      const userId = typeof user === 'string' ? null : user.id
      await audit.recordRejection({ action: 'session.refused', actor: null, userId, address, details })
    } else {
      const { id: userId } = found
      const details = { method }
      await audit.record({ action: 'session.created', ...byUser(userId, address), details })
    }
    return found

    async function attempt(): Promise<AuthUser | IdentityRejection | null> {
      const known = await users.findByIdentity(identity)
      if (known) {
        if (known.disabledAt) return 'AccountDisabled'
        // No one else can have accessed an account whose email was not verified, so it keeps everything.
        if (!known.emailVerifiedAt && identity.emailVerified && email === known.email)
          await users.markEmailVerified(known.id, clock.now())
        return known
      }
      if (!isEmail(email)) return 'EmailMissing'
      const [owner] = await users.findAllByEmail(email)
      if (owner) return identity.emailVerified ? join(owner) : 'OAuthAccountNotLinked'
      if (!allowSignUp) return 'SignUpDisabled'
      const emailVerifiedAt = identity.emailVerified ? clock.now() : null
      const verifyBy = identity.emailVerified ? null : verifyByOf(clock.now(), sendsMail)
      const user = { id: newId(), email, name: identity.name, passwordHash: null, emailVerifiedAt, verifyBy }
      const created = await users.create({ ...user, isClaim: false }, identity)
      if (created && !created.emailVerifiedAt) emailLinks.welcome(created, language)
      return created
    }

    async function join(owner: AuthUser): Promise<AuthUser | IdentityRejection | null> {
      if (owner.disabledAt) return 'AccountDisabled'
      const linked = owner.emailVerifiedAt
        ? await users.link(owner.id, identity)
        : await users.claim(owner.id, identity, clock.now())
      return linked ? users.findById(owner.id) : null
    }
  }
}
