import { ADMIN_ACTOR, type Audit, type AuditEvent, userActor } from '../../audit.ts'
import type { Principal } from '../../auth/ports.ts'
import { AppError } from '../../errors.ts'
import type { RateCounter } from '../../rate-counter.ts'
import { bearerToken } from './bearer-token.ts'
import { createSecretGate, invalidCredential } from './secret-gate.ts'

/** Who calls the admin API. `userId` null: whoever knows the admin secret. */
export type Administrator = { actor: string; userId: string | null }

export type AdminAccessDeps = {
  authenticate: (request: Request) => Promise<Principal | null>
  adminSecrets: readonly string[]
  /** Wrong admin secrets by address, by the minute. */
  failures: RateCounter
  audit: Audit
}

/** Session tokens (JWE), tokens of an external issuer (JWS) and push tokens: no guesses at the admin secret. */
const OTHER_CREDENTIAL = /^(eyJ[\w-]*(\.[\w-]*){2,4}|ph_[\w-]{43})$/
/** For uploads and files only, whoever has made them. */
const API_KEY = /^pk_[\w-]{43}$/

/** Who may call the admin API: the admin secret, or a signed-in user with the role `admin`. */
export function createAdminAccess({ authenticate, adminSecrets, failures, audit }: AdminAccessDeps) {
  const gate = createSecretGate(adminSecrets, failures, (address) =>
    audit.recordRefusal({ action: 'admin.refused', actor: null, address }),
  )

  return {
    /** @throws AppError UNAUTHORIZED, FORBIDDEN: not an admin, TOO_MANY_REQUESTS */
    async authorize(request: Request, address: string): Promise<Administrator> {
      const token = bearerToken(request)
      if (token !== undefined && API_KEY.test(token))
        throw new AppError(
          'FORBIDDEN',
          'API keys are for uploads and files. Use the admin secret or a session.',
        )
      if (token !== undefined && !OTHER_CREDENTIAL.test(token)) {
        await gate(token, address)
        return { actor: ADMIN_ACTOR, userId: null }
      }
      const user = await authenticate(request)
      if (!user) throw invalidCredential()
      if (user.role !== 'admin')
        throw new AppError(
          'FORBIDDEN',
          'Only administrators may do this. Use the admin secret, or sign in as a user with the role admin.',
        )
      return { actor: userActor(user.id), userId: user.id }
    },

    /** Writes down what an administrator called. */
    record: (event: Omit<AuditEvent, 'action'>): Promise<void> =>
      audit.record({ action: 'admin.called', ...event }),
  }
}
