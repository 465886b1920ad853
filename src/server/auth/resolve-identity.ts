import { type Audit, userActor } from '../audit.ts'
import type { Clock } from '../clock.ts'
import { newId } from '../ids.ts'
import type { EmailLinks } from './email-links.ts'
import type { AuthUser, Caller, Identity, UserRepo } from './ports.ts'
import { isEmail, normalizeEmail } from './schema.ts'

/** Why a provider's sign-in is rejected; the sign-in page has the message for each. */
export type IdentityRejection =
  | 'EmailMissing'
  | 'OAuthAccountNotLinked'
  | 'SignUpDisabled'
  | 'AccountDisabled'

export type IdentitiesDeps = {
  users: UserRepo
  emailLinks: Pick<EmailLinks, 'welcome'>
  clock: Clock
  audit: Audit
  allowSignUp: boolean
}

export type ResolveIdentity = ReturnType<typeof createResolveIdentity>

/**
 * Finds, links or creates the user of a provider's identity. A known identity counts whatever its email is now. An
 * unknown one is linked by email only if the provider has verified that email; if nobody had proven that email
 * before, the account loses what others put there.
 */
export function createResolveIdentity({ users, emailLinks, clock, audit, allowSignUp }: IdentitiesDeps) {
  return async function resolveIdentity(
    identity: Identity,
    address: string,
    language?: Caller['language'],
  ): Promise<AuthUser | IdentityRejection> {
    const email = normalizeEmail(identity.email)
    // Twice, since a user may sign in from two windows at once: the second attempt finds what the other created.
    const found = (await attempt()) ?? (await attempt()) ?? 'OAuthAccountNotLinked'
    const method = identity.provider
    if (typeof found === 'string') {
      const details = { method, reason: found }
      await audit.recordRefusal({ action: 'session.refused', actor: null, address, details })
    } else {
      const actor = userActor(found.id)
      await audit.record({
        action: 'session.created',
        actor,
        userId: found.id,
        address,
        details: { method },
      })
    }
    return found

    async function attempt(): Promise<AuthUser | IdentityRejection | null> {
      const known = await users.findByIdentity(identity)
      if (known) {
        if (known.disabledAt) return 'AccountDisabled'
        // Nobody else can have got into an account without a proven email, so it keeps all it has.
        if (!known.emailVerifiedAt && identity.emailVerified && email === known.email)
          await users.proveEmail(known.id, clock.now())
        return known
      }
      if (!isEmail(email)) return 'EmailMissing'
      const owner = await users.findByEmail(email)
      if (owner) return identity.emailVerified ? join(owner) : 'OAuthAccountNotLinked'
      if (!allowSignUp) return 'SignUpDisabled'
      const created = await users.create(
        {
          id: newId(),
          email,
          name: identity.name,
          passwordHash: null,
          emailVerifiedAt: identity.emailVerified ? clock.now() : null,
        },
        identity,
      )
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
