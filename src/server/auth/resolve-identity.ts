import type { Clock } from '../clock.ts'
import { newId } from '../ids.ts'
import type { AuthUser, Identity, UserRepo } from './ports.ts'
import { isEmail, normalizeEmail } from './schema.ts'

/** Why a provider's sign-in is refused; the sign-in page has the words. */
export type IdentityRefusal = 'EmailMissing' | 'OAuthAccountNotLinked' | 'SignUpDisabled'

export type IdentitiesDeps = { users: UserRepo; clock: Clock; allowSignUp: boolean }

export type ResolveIdentity = ReturnType<typeof createResolveIdentity>

/**
 * Finds, links or makes the user behind a provider's identity. An identity that is known counts whatever
 * email it has today; an unknown one is linked by email only if the provider vouches for it.
 */
export function createResolveIdentity({ users, clock, allowSignUp }: IdentitiesDeps) {
  return async function resolveIdentity(identity: Identity): Promise<AuthUser | IdentityRefusal> {
    const email = normalizeEmail(identity.email)
    // Twice, since the same person may come in two windows at once: who loses finds what the other made.
    return (await attempt()) ?? (await attempt()) ?? 'OAuthAccountNotLinked'

    async function attempt(): Promise<AuthUser | IdentityRefusal | null> {
      const known = await users.findByIdentity(identity)
      if (known) return known
      if (!isEmail(email)) return 'EmailMissing'
      const owner = await users.findByEmail(email)
      if (owner) return identity.emailVerified ? join(owner) : 'OAuthAccountNotLinked'
      if (!allowSignUp) return 'SignUpDisabled'
      return users.create(
        {
          id: newId(),
          email,
          name: identity.name,
          passwordHash: null,
          emailVerifiedAt: identity.emailVerified ? clock.now() : null,
        },
        identity,
      )
    }

    async function join(owner: AuthUser): Promise<AuthUser | null> {
      const linked = owner.emailVerifiedAt
        ? await users.link(owner.id, identity)
        : await users.takeOver(owner.id, identity, clock.now())
      return linked ? users.findById(owner.id) : null
    }
  }
}
