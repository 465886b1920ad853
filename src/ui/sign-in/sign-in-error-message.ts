/** By next-auth's error code. */
const MESSAGES: Record<string, string> = {
  CredentialsSignin: 'Wrong email or password.',
  TooManyRequests: 'Too many failed attempts. Wait up to 15 minutes, then try again.',
  OAuthAccountNotLinked:
    'An account with this email already exists, and the provider has not verified the email. Sign in the way you did before.',
  EmailMissing:
    'The provider did not share your email address. Make it visible there, or sign in another way.',
  SignUpDisabled:
    'There is no account with this email, and sign-up is closed. Ask the administrator of this server for an account.',
  AccessDenied: 'The provider denied access. Try again, or sign in another way.',
  SessionRequired: 'Sign in to continue.',
}

export function signInErrorMessage(code: string): string {
  return MESSAGES[code] ?? 'Sign-in failed. Try again. If it keeps failing, contact the administrator.'
}
