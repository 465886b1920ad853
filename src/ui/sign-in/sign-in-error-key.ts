import type { PlainMessageKey } from '../i18n/message-types.ts'

/** By next-auth's error code, and what `signInWithPassword` adds to them. */
const KEYS: Record<string, PlainMessageKey> = {
  CredentialsSignin: 'signIn.wrong',
  TooManyRequests: 'signIn.tooMany',
  Unreachable: 'signIn.unreachable',
  OAuthAccountNotLinked: 'signIn.notLinked',
  EmailMissing: 'signIn.emailMissing',
  SignUpDisabled: 'signIn.signUpDisabled',
  AccountDisabled: 'signIn.accountDisabled',
  AccessDenied: 'signIn.accessDenied',
  SessionRequired: 'signIn.required',
}

/** The message that tells the user why signing in failed. */
export function signInErrorKey(code: string): PlainMessageKey {
  return KEYS[code] ?? 'signIn.failed'
}
