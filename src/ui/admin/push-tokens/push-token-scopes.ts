import type { PushTokenScope } from '@pigeonhole/client/admin'
import type { PlainMessageKey } from '../../i18n/message-types.ts'

/** Whom a push token may send to, in the order of the form. */
export const PUSH_TOKEN_SCOPES: Record<PushTokenScope, PlainMessageKey> = {
  self: 'admin.pushTokens.self',
  users: 'admin.pushTokens.users',
  broadcast: 'admin.pushTokens.broadcast',
}
