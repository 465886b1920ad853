import { secondsAfter } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { ExternalUser, SessionUser } from './principal.ts'

/** Maximum age of a sign-in that permits creating access which outlives the session. */
const RECENT_SIGN_IN_MINUTES = 15

/** Returns true if the user signed in within the last 15 minutes. */
export function isSignInRecent(signedInAt: Date | null, now: Date): boolean {
  return signedInAt !== null && secondsAfter(signedInAt, RECENT_SIGN_IN_MINUTES * 60) >= now
}

/**
 * Rejects a user who last signed in too long ago. Checked before creating API keys, shared links and administrators:
 * someone who finds a signed-in device or steals a token must not turn it into access that lasts for years.
 * @throws AppError FORBIDDEN
 */
export function requireRecentSignIn(
  { via, signedInAt }: Pick<SessionUser | ExternalUser, 'via' | 'signedInAt'>,
  now: Date,
): void {
  if (isSignInRecent(signedInAt, now)) return
  const remedy =
    via === 'session'
      ? 'Call account.reauthenticate with your password, or sign in again with your provider or passkey. Then retry.'
      : 'Sign in again with your identity provider, then retry with the new token. Its `auth_time`, or else its `iat`, is what counts.'
  throw new AppError(
    'FORBIDDEN',
    `This call requires a sign-in within the last ${RECENT_SIGN_IN_MINUTES} minutes. ${remedy}`,
    { data: { reason: 'reauthentication_required' } },
  )
}
