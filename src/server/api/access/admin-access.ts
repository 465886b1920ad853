import type { ExternalUser, Principal, SessionUser } from '../../domain/accounts/principal.ts'
import { ADMIN_ACTOR, type Audit, type AuditEvent, userActor } from '../../kernel/audit.ts'
import { AppError } from '../../kernel/errors.ts'
import type { RateCounter } from '../../kernel/rate-counter.ts'
import { bearerToken, invalidCredential } from './credentials.ts'
import { createSecretGate } from './secret-gate.ts'

/** Caller of the admin API. `userId` and `user` are null if the caller sent the admin secret. */
export type Administrator = {
  actor: string
  userId: string | null
  user: SessionUser | ExternalUser | null
}

type AdminAccessDeps = {
  authenticate: (request: Request) => Promise<Principal | null>
  adminSecrets: readonly string[]
  /** Counts wrong admin secrets by address, per minute. */
  failures: RateCounter
  audit: Audit
}

/** Session tokens (JWE), an external issuer's tokens (JWS) and push tokens: they are not guesses at the admin secret. */
const OTHER_CREDENTIAL = /^(eyJ[\w-]*(\.[\w-]*){2,4}|ph_[\w-]{43})$/
const API_KEY = /^pk_[\w-]{43}$/

export type AdminAccess = ReturnType<typeof createAdminAccess>

/** Lets the admin secret and signed-in users with the role `admin` call the admin API. */
export function createAdminAccess({ authenticate, adminSecrets, failures, audit }: AdminAccessDeps) {
  const gate = createSecretGate(adminSecrets, failures, (address) =>
    audit.recordRefusal({ action: 'admin.refused', actor: null, address }),
  )

  return {
    /** @throws AppError UNAUTHORIZED; FORBIDDEN if the user is not an administrator; TOO_MANY_REQUESTS */
    async authorize(request: Request, address: string): Promise<Administrator> {
      const token = bearerToken(request)
      if (token !== undefined && API_KEY.test(token)) throw apiKeyNotAccepted()
      if (token !== undefined && !OTHER_CREDENTIAL.test(token)) {
        await gate(token, address)
        return { actor: ADMIN_ACTOR, userId: null, user: null }
      }
      const user = await authenticate(request)
      if (!user) throw invalidCredential()
      if (user.via === 'apiKey') throw apiKeyNotAccepted()
      if (user.role !== 'admin')
        throw new AppError(
          'FORBIDDEN',
          'Only administrators can do this. Use the admin secret, or sign in as a user with the role admin.',
        )
      return { actor: userActor(user.id), userId: user.id, user }
    },

    /** Records an administrator's call in the audit log. */
    record: (event: Omit<AuditEvent, 'action'>): Promise<void> =>
      audit.record({ action: 'admin.called', ...event }),
  }
}

const apiKeyNotAccepted = () =>
  new AppError('FORBIDDEN', 'API keys work only for uploads and files. Use the admin secret or a session.')
