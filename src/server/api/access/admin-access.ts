import { credentialKind, isApiKey } from '../../domain/accounts/credential-kind.ts'
import type { ExternalUser, Principal, SessionUser } from '../../domain/accounts/principal.ts'
import type { ServerKeyScope } from '../../domain/accounts/server-key-schema.ts'
import { isServerKey, type ServerKeys } from '../../domain/accounts/server-keys.ts'
import { ADMIN_ACTOR, type Audit, type AuditEvent, keyActor, userActor } from '../../kernel/audit.ts'
import { AppError } from '../../kernel/errors.ts'
import type { RateCounter } from '../../kernel/rate-counter.ts'
import {
  apiKeyNotAccepted,
  bearerToken,
  invalidCredential,
  passkeyFirst,
  userTokenNotAccepted,
} from './credentials.ts'
import { createSecretGate } from './secret-gate.ts'

/** Caller of the admin API. All but `actor` are null if the caller sent the admin secret. */
export type Administrator = {
  actor: string
  userId: string | null
  user: SessionUser | ExternalUser | null
  serverKeyId: string | null
}

type AdminAccessDeps = {
  authenticate: (request: Request) => Promise<Principal | null>
  serverKeys: Pick<ServerKeys, 'authenticate'>
  adminSecrets: readonly string[]
  /** ADMIN_REQUIRE_PASSKEY. */
  requirePasskey: boolean
  /** Counts wrong admin secrets by address, per minute. */
  failures: RateCounter
  audit: Audit
}

/** Session tokens (JWE), an external issuer's tokens (JWS) and push tokens: they are not guesses at the admin secret. */
const OTHER_CREDENTIAL = /^(eyJ[\w-]*(\.[\w-]*){2,4}|ph_[\w-]{43})$/

export type AdminAccess = ReturnType<typeof createAdminAccess>

/** Lets the admin secret and signed-in users with the role `admin` call the admin API. */
export function createAdminAccess(deps: AdminAccessDeps) {
  const { authenticate, serverKeys, adminSecrets, requirePasskey, failures, audit } = deps
  const gate = createSecretGate(adminSecrets, failures, (address) =>
    audit.recordRejection({ action: 'admin.refused', actor: null, address }),
  )

  return {
    /**
     * `path` is that of the route, as in `/api/admin/users/{id}`. `scope` is what a server key needs. Undefined: no
     * server key is accepted.
     * @throws AppError UNAUTHORIZED; FORBIDDEN if the user is not an administrator or lacks a passkey, or the server
     * key lacks the scope; TOO_MANY_REQUESTS
     */
    async authorize(
      request: Request,
      address: string,
      { path, scope }: { path: string; scope: ServerKeyScope | undefined },
    ): Promise<Administrator> {
      const token = bearerToken(request)
      if (isServerKey(token)) {
        const key = await serverKeys.authenticate(token)
        if (!key) throw invalidCredential()
        const actor = keyActor(key.id)
        try {
          requireScope(key.scopes, scope)
        } catch (error) {
          // Without the route's parameters: a key that lacks the scope could invent any number of them.
          const details = { method: request.method, path, status: 403 }
          audit.recordCounted({ action: 'admin.called', actor, address, details })
          throw error
        }
        return { actor, userId: null, user: null, serverKeyId: key.id }
      }
      if (isApiKey(token)) throw apiKeyNotAccepted()
      if (token !== undefined && credentialKind(token) === 'userToken') throw userTokenNotAccepted()
      if (token !== undefined && !OTHER_CREDENTIAL.test(token)) {
        await gate(token, address)
        return { actor: ADMIN_ACTOR, userId: null, user: null, serverKeyId: null }
      }
      const user = await authenticate(request)
      if (!user) throw invalidCredential()
      if (user.via === 'apiKey') throw apiKeyNotAccepted()
      if (user.via === 'userToken') throw userTokenNotAccepted()
      if (user.role !== 'admin')
        throw new AppError(
          'FORBIDDEN',
          'Only administrators can do this. Use the admin secret, or sign in as a user with the role admin.',
        )
      if (requirePasskey && (user.via !== 'session' || user.method !== 'passkey')) throw passkeyFirst()
      return { actor: userActor(user.id), userId: user.id, user, serverKeyId: null }
    },

    /** Records an administrator's call in the audit log. */
    record: (event: Omit<AuditEvent, 'action'>): Promise<void> =>
      audit.record({ action: 'admin.called', ...event }),

    /** Records a call that a backend makes very often, together with identical ones. */
    recordCounted: (event: Omit<AuditEvent, 'action'>): void =>
      audit.recordCounted({ action: 'admin.called', ...event }),

    /** Records a call that pages repeat while an administrator types. */
    recordRepeated: (event: Omit<AuditEvent, 'action'>): Promise<void> =>
      audit.recordRepeated({ action: 'admin.called', ...event }),
  }
}

function requireScope(scopes: readonly ServerKeyScope[], needed: ServerKeyScope | undefined): void {
  if (needed === undefined)
    throw new AppError(
      'FORBIDDEN',
      'Server keys cannot make this call. Use the admin secret or the session of an administrator.',
    )
  if (!scopes.includes(needed))
    throw new AppError(
      'FORBIDDEN',
      `This server key lacks the scope ${needed}. Create a key that has it; this key has ${scopes.join(', ')}.`,
    )
}
