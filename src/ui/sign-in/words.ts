/** What next-auth's codes mean to the person who tries to sign in. */
const WORDS: Record<string, string> = {
  CredentialsSignin: 'The email or the password is not right.',
  TooManyRequests: 'Too many failed attempts. Wait up to 15 minutes, then try again.',
  OAuthAccountNotLinked:
    'There is an account with this email already, and the provider does not vouch for the email. Sign in as you did before.',
  EmailMissing: 'The provider did not tell an email address. Make it known there, or sign in another way.',
  SignUpDisabled:
    'There is no account with this email, and new accounts are not open here. Ask the operator.',
  AccessDenied: 'The provider did not let you in. Try again, or sign in another way.',
  SessionRequired: 'Sign in to go on.',
}

export function wordsForCode(code: string): string {
  return WORDS[code] ?? 'Signing in did not work. Try again; if it stays, ask the operator.'
}

/** A place on this site to go to afterwards; anything else leads to the files. */
export function placeAfter(callbackUrl: string | undefined, siteUrl: string): string {
  const target = callbackUrl ? URL.parse(callbackUrl, siteUrl) : null
  if (!target || target.origin !== new URL(siteUrl).origin || target.pathname.startsWith('/signin'))
    return '/'
  return `${target.pathname}${target.search}`
}
