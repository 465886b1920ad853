import type { PushMessageStatus } from '@pigeonhole/client/push'
import type { BadgeTone } from '../components/badge.tsx'
import { PLATFORM_NAMES } from '../components/platform-names.ts'
import type { Translator } from '../i18n/translator.ts'

type Delivery = Pick<PushMessageStatus, 'status' | 'audience' | 'sent'>

/** Returns the state of a message in one sentence. A dry run counts the recipients and sends nothing. */
export function deliverySummary({ status, audience, sent }: Delivery, t: Translator): string {
  const count = audienceSize(audience)
  switch (status) {
    case 'dry-run':
      return t('delivery.wouldSend', { count })
    case 'cancelled':
      return t('delivery.cancelled', { sent, count })
    case 'scheduled':
      return t('delivery.scheduled')
    case 'completed':
      return count === 0 ? t('delivery.noDevices') : t('delivery.sent', { sent, count })
    default:
      return t('delivery.sending')
  }
}

/** Looks of a message's status: calm for what went well, so that problems stand out. */
export const STATUS_TONE: Record<PushMessageStatus['status'], BadgeTone> = {
  scheduled: 'neutral',
  queued: 'good',
  sending: 'good',
  completed: 'usual',
  cancelled: 'neutral',
  'dry-run': 'neutral',
}

/** Returns true if there are pushes that can still be stopped. */
export function canCancel(status: PushMessageStatus['status']): boolean {
  return status === 'scheduled' || status === 'queued' || status === 'sending'
}

/** Returns true if the counts will not change soon. */
export function isFinished(message: Pick<PushMessageStatus, 'status'> | undefined): boolean {
  return message !== undefined && message.status !== 'queued' && message.status !== 'sending'
}

/** Returns what has become of a message that the user just sent, for the heading of the page. */
export function resultOf({ status, sent }: Pick<PushMessageStatus, 'status' | 'sent'>) {
  if (status === 'scheduled' || status === 'cancelled') return status
  if (status === 'queued' || status === 'sending') return 'sending'
  return status === 'completed' && sent === 0 ? 'undelivered' : 'sent'
}

export function audienceSize({ ios, android, web }: PushMessageStatus['audience']): number {
  return ios + android + web
}

type Results = Pick<PushMessageStatus, 'status' | 'audience' | 'failed' | 'removed'>

/**
 * Returns the recipients and results of a message in one line, without zeros. `omitFailed`: the number of failed
 * devices is shown elsewhere.
 */
export function deliveryCounts(message: Results, t: Translator, omitFailed = false): string {
  const { status, audience, failed, removed } = message
  // The recipients are determined when the message is sent.
  if (status === 'scheduled') return ''
  return [
    platformCounts(audience, t),
    failed > 0 && !omitFailed && t('delivery.failed', { count: failed }),
    removed > 0 && t('delivery.removed', { count: removed }),
  ]
    .filter(Boolean)
    .join(' · ')
}

/** Returns the number of devices of each platform. Omits platforms without devices. */
export function platformCounts(audience: PushMessageStatus['audience'], t: Translator): string {
  return (['ios', 'android', 'web'] as const)
    .filter((platform) => audience[platform] > 0)
    .map((platform) =>
      t('delivery.devices', { count: audience[platform], platform: PLATFORM_NAMES[platform] }),
    )
    .join(', ')
}
