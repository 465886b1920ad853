import type { PushMessageStatus } from '@pigeonhole/client/push'
import type { Translator } from '../i18n/translator.ts'

/** The state of a message in one sentence. A dry run counts the recipients and sends nothing. */
export function deliverySummary({ status, audience, sent }: PushMessageStatus, t: Translator): string {
  const count = audienceSize(audience)
  if (status === 'dry-run') return t('delivery.wouldSend', { count })
  if (status === 'cancelled') return t('delivery.cancelled', { sent, count })
  return status === 'completed' ? t('delivery.sent', { sent, count }) : t('delivery.sending')
}

/** Whether the counts are final. */
export function isFinished(message: PushMessageStatus | undefined): boolean {
  return message !== undefined && message.status !== 'queued' && message.status !== 'sending'
}

export function audienceSize({ ios, android, web }: PushMessageStatus['audience']): number {
  return ios + android + web
}
