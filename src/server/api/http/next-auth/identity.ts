import { displayName } from '../../../domain/accounts/schema.ts'
import type { Identity } from '../../../domain/accounts/user-repo.ts'

/** A provider's claims about a user, with the names of OpenID Connect (Core, section 5.1). */
export type Claims = { name?: unknown; email?: unknown; email_verified?: unknown }

/** Returns the identity in a provider's claims. Only `true` counts as verified; some providers send it as a string. */
export function identityFrom(provider: string, providerAccountId: string, claims: Claims): Identity {
  return {
    provider,
    providerAccountId,
    email: typeof claims.email === 'string' ? claims.email : '',
    emailVerified: claims.email_verified === true || claims.email_verified === 'true',
    name: typeof claims.name === 'string' ? displayName(claims.name) : null,
  }
}
