import type { PushTokenScope } from '@pigeonhole/client/admin'
import type { PlainMessageKey } from '../../i18n/message-types.ts'

/** Labels of a push token's scopes, in the form's order. */
export const PUSH_TOKEN_SCOPES: Record<PushTokenScope, PlainMessageKey> = {
  self: 'admin.pushTokens.self',
  users: 'admin.pushTokens.users',
  broadcast: 'admin.pushTokens.broadcast',
}
