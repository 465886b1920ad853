import type { AdminBroadcast } from '@pigeonhole/client/admin'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import type { Translator } from '../../i18n/translator.ts'

type Status = AdminBroadcast['status']

export const BROADCAST_STATUS: Record<Status, PlainMessageKey> = {
  scheduled: 'admin.broadcasts.scheduled',
  queued: 'admin.broadcasts.queued',
  sending: 'admin.broadcasts.sending',
  completed: 'admin.broadcasts.completed',
  cancelled: 'admin.broadcasts.cancelled',
  'dry-run': 'admin.broadcasts.completed',
}

/** Returns true if pushes of the broadcast are being handed to the gateways, or soon will be. */
export function isSending(status: Status): boolean {
  return status === 'queued' || status === 'sending'
}

/** Refresh interval while a broadcast is being sent. Each call adds an entry to the audit log. */
export const REFRESH_MS = 3_000

/** Columns of the list on wide screens: message, status, recipients, three counts, button. */
export const BROADCAST_GRID = 'lg:grid-cols-[minmax(0,1fr)_7.25rem_8rem_5rem_4rem_8.25rem_10.5rem]'

const TARGETS = {
  all: 'admin.broadcasts.everyone',
  users: 'admin.broadcasts.users',
  user: 'admin.broadcasts.oneUser',
} as const satisfies Record<string, PlainMessageKey>

/** Returns the recipients of a broadcast, as a value of the label “Recipients”. */
export function targetOf({ target, topic }: Pick<AdminBroadcast, 'target' | 'topic'>, t: Translator): string {
  if (target === 'topic') return t('admin.broadcasts.topic', { topic: topic ?? '' })
  return t(TARGETS[target])
}
