import type { PlainMessageKey } from '../i18n/message-types.ts'

/** Messages for errors of creating and changing passkeys. */
export const passkeyErrors: Partial<Record<string, PlainMessageKey>> = {
  PASSKEY_CANCELED: 'passkeys.canceled',
  PASSKEY_EXISTS: 'passkeys.exists',
  PASSKEY_FAILED: 'passkeys.failed',
  BAD_REQUEST: 'passkeys.failed',
  CONFLICT: 'passkeys.tooMany',
}
