import type { AuditEntry } from '@pigeonhole/client/admin'
import type { PlainMessageKey } from '../../i18n/message-types.ts'

const LABELS = {
  files: 'admin.audit.openFile',
  broadcasts: 'admin.audit.openBroadcast',
  webhooks: 'admin.audit.openWebhook',
  'server-keys': 'admin.audit.openServerKeys',
  'push-tokens': 'admin.audit.openPushTokens',
} as const satisfies Record<string, PlainMessageKey>

type Kind = keyof typeof LABELS

const KINDS: Partial<Record<string, Kind>> = {
  'file.accepted': 'files',
  'push.broadcast': 'broadcasts',
  'push.cancelled': 'broadcasts',
  'webhook.changed': 'webhooks',
  'server_key.created': 'server-keys',
  'server_key.revoked': 'server-keys',
  'push.token.created': 'push-tokens',
  'push.token.revoked': 'push-tokens',
}

/** Calls about one object, without parts of it such as a delivery, and the call that creates a webhook. */
const CALL =
  /^(?:(?:GET|PATCH|PUT|POST) \/api\/admin\/(files|broadcasts|webhooks)\/[^/]+(?:\/(?:url|verdict|test))?|POST \/api\/admin\/(webhooks))$/

/** Returns the page of an entry's object and the label of the link. Undefined for what has no page or was deleted. */
export function auditObjectOf({ action, userId, subjectId, details: { method, path } }: AuditEntry) {
  const [, about, created] = (action === 'admin.called' && CALL.exec(`${method} ${path}`)) || []
  const kind = (about ?? created ?? KINDS[action]) as Kind | undefined
  if (!kind || subjectId === null) return undefined
  const label = LABELS[kind]
  // Keys and tokens have no pages of their own.
  if (kind === 'server-keys') return { href: '/admin/server-keys', label }
  if (kind === 'push-tokens')
    return userId === null ? undefined : { href: `/admin/push-tokens?user=${userId}`, label }
  return { href: `/admin/${kind}/${subjectId}`, label }
}

/** Kinds of subjects, by the action or, for calls of the admin API, by the path. The first match counts. */
const SUBJECTS = [
  ['event', /\/deliveries\//],
  ['apiKey', /^api_key/],
  ['broadcast', /^push\.broadcast|\/broadcasts/],
  ['device', /^device/],
  ['file', /^file|\/files/],
  ['pushMessage', /^push\.(sent|cancelled)/],
  ['passkey', /^passkey/],
  ['pushToken', /^push\.token|\/push-tokens/],
  ['serverKey', /^server_key|\/server-keys/],
  ['session', /^session/],
  ['share', /^share/],
  ['user', /\/users/],
  ['webhook', /^webhook|\/webhooks/],
] as const

/** Returns what the ID of an entry's subject identifies. `other` for actions of another release. */
export function subjectKindOf({ action, details: { path } }: AuditEntry): SubjectKind {
  const name = action === 'admin.called' ? String(path) : action
  return SUBJECTS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other'
}

export type SubjectKind = (typeof SUBJECTS)[number][0] | 'other'
