import type { PlainMessageKey } from '../i18n/message-types.ts'

/** Messages for fields that the server rejects. */
export const SIGN_UP_FIELD_ERRORS = {
  name: 'signUp.nameInvalid',
  email: 'signUp.emailInvalid',
  password: 'signUp.passwordInvalid',
} as const satisfies Record<string, PlainMessageKey>

/** Messages for codes with a special meaning. */
export const SIGN_UP_ERRORS = { CONFLICT: 'signUp.taken', FORBIDDEN: 'signUp.closed' } as const
