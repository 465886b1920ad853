import type { ServerKeyScope } from '@pigeonhole/client/admin'
import type { PlainMessageKey } from '../../i18n/message-types.ts'

/** Labels of a server key's scopes, in the form's order. */
export const SERVER_KEY_SCOPES: Record<ServerKeyScope, PlainMessageKey> = {
  'user-tokens:create': 'admin.serverKeys.userTokensCreate',
  'files:read': 'apiKeys.filesRead',
  'files:delete': 'apiKeys.filesDelete',
  'files:verdict': 'admin.serverKeys.filesVerdict',
  'users:read': 'admin.serverKeys.usersRead',
  'users:write': 'admin.serverKeys.usersWrite',
  'topics:write': 'admin.serverKeys.topicsWrite',
}
