import { AppError } from '../../kernel/errors.ts'

/** Returns the credential of `Authorization: Bearer ...`, or undefined. */
export function bearerToken(request: Request): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1]
}

/** The same error for missing, unknown, expired and revoked credentials. */
export function invalidCredential(): AppError {
  return new AppError(
    'UNAUTHORIZED',
    'The credential is missing, unknown, expired or revoked. Send a valid one as "Authorization: Bearer ...".',
  )
}

export function signInFirst(): AppError {
  return new AppError(
    'UNAUTHORIZED',
    'Sign in first: send the session cookie or "Authorization: Bearer <session token>".',
  )
}

export function apiKeyNotAccepted(): AppError {
  return new AppError(
    'FORBIDDEN',
    'API keys work only for the procedures of their scopes and for /files/*. Use another credential for this call.',
  )
}

/** A server key identifies no user. */
export function serverKeyNotAccepted(): AppError {
  return new AppError(
    'UNAUTHORIZED',
    'Server keys are for the admin API and identify no user. Create a user token with POST /api/admin/user-tokens for this call.',
  )
}

export function userTokenNotAccepted(): AppError {
  return new AppError(
    'FORBIDDEN',
    'User tokens work only for the procedures of their scopes and for /files/*. Use another credential for this call.',
  )
}

/** For administrators, with ADMIN_REQUIRE_PASSKEY. */
export function passkeyFirst(): AppError {
  return new AppError(
    'FORBIDDEN',
    'Administrators must sign in with a passkey. If you have none, register one in the settings; then continue.',
    { data: { reason: 'passkey_required' } },
  )
}
