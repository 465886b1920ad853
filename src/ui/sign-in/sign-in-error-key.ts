import type { PlainMessageKey } from '../i18n/message-types.ts'

/** Messages by next-auth's error codes and those that `signInWithPassword` adds. */
const KEYS: Record<string, PlainMessageKey> = {
  CredentialsSignin: 'signIn.wrong',
  TooManyRequests: 'signIn.tooMany',
  Unreachable: 'signIn.unreachable',
  OAuthAccountNotLinked: 'signIn.notLinked',
  EmailMissing: 'signIn.emailMissing',
  SignUpDisabled: 'signIn.signUpDisabled',
  AccountDisabled: 'signIn.accountDisabled',
  AccessDenied: 'signIn.accessDenied',
  PasskeyRequired: 'signIn.passkeyRequired',
  PasskeyRejected: 'signIn.passkeyRejected',
  PasskeyCanceled: 'passkeys.canceled',
  PasskeyFailed: 'passkeys.failed',
  RecoveryCodeRejected: 'signIn.codeRejected',
  SessionRequired: 'signIn.required',
}

/** Returns the message that tells the user why signing in failed. */
export function signInErrorKey(code: string): PlainMessageKey {
  return KEYS[code] ?? 'signIn.failed'
}
