import type { AdminBroadcast } from '@pigeonhole/client/admin'
import type { BadgeTone } from '../../components/badge.tsx'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import type { Translator } from '../../i18n/translator.ts'

type Status = AdminBroadcast['status']

export const BROADCAST_STATUS: Record<Status, { label: PlainMessageKey; tone: BadgeTone }> = {
  scheduled: { label: 'admin.broadcasts.scheduled', tone: 'neutral' },
  queued: { label: 'admin.broadcasts.queued', tone: 'neutral' },
  sending: { label: 'admin.broadcasts.sending', tone: 'warning' },
  completed: { label: 'admin.broadcasts.completed', tone: 'good' },
  cancelled: { label: 'admin.broadcasts.cancelled', tone: 'neutral' },
  'dry-run': { label: 'admin.broadcasts.completed', tone: 'neutral' },
}

/** Returns true if at least a part of the broadcast can still be canceled. */
export function isUnfinished(status: Status): boolean {
  return status === 'scheduled' || status === 'queued' || status === 'sending'
}

/** Returns to whom a broadcast goes. */
export function targetOf({ target, topic }: AdminBroadcast, t: Translator): string {
  if (target === 'topic') return t('sent.toTopic', { topic: topic ?? '' })
  return t(target === 'all' ? 'admin.broadcasts.toAll' : target === 'users' ? 'sent.toUsers' : 'sent.toUser')
}

/** Counts failures by reason, the most frequent first. */
export function reasonsOf(failures: AdminBroadcast['failures']): { reason: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { reason } of failures) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count)
}
