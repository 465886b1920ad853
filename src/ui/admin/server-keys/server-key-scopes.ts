import type { ServerKeyScope } from '@pigeonhole/client/admin'
import type { PlainMessageKey } from '../../i18n/message-types.ts'

/** Labels of a server key's scopes. */
export const SERVER_KEY_SCOPES: Record<ServerKeyScope, PlainMessageKey> = {
  'user-tokens:create': 'admin.serverKeys.userTokensCreate',
  'users:read': 'admin.serverKeys.usersRead',
  'users:write': 'admin.serverKeys.usersWrite',
  'files:read': 'apiKeys.filesRead',
  'files:delete': 'apiKeys.filesDelete',
  'files:verdict': 'admin.serverKeys.filesVerdict',
  'topics:write': 'admin.serverKeys.topicsWrite',
}

type ScopeGroup = { label: PlainMessageKey; scopes: { scope: ServerKeyScope; hint: PlainMessageKey }[] }

/** Scopes grouped by subject, in the form's order. */
export const SCOPE_GROUPS: ScopeGroup[] = [
  {
    label: 'admin.users.title',
    scopes: [
      { scope: 'user-tokens:create', hint: 'admin.serverKeys.userTokensHint' },
      { scope: 'users:read', hint: 'admin.serverKeys.usersReadHint' },
      { scope: 'users:write', hint: 'admin.serverKeys.usersWriteHint' },
    ],
  },
  {
    label: 'admin.webhooks.files',
    scopes: [
      { scope: 'files:read', hint: 'admin.serverKeys.filesReadHint' },
      { scope: 'files:delete', hint: 'admin.serverKeys.filesDeleteHint' },
      { scope: 'files:verdict', hint: 'admin.serverKeys.filesVerdictHint' },
    ],
  },
  {
    label: 'admin.webhooks.messages',
    scopes: [{ scope: 'topics:write', hint: 'admin.serverKeys.topicsWriteHint' }],
  },
]
