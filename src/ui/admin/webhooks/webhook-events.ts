import type { WebhookEvent } from '@pigeonhole/client/admin'
import type { PlainMessageKey } from '../../i18n/message-types.ts'

/** What a webhook can be told, in the order of the form. */
export const WEBHOOK_EVENTS: Record<WebhookEvent, PlainMessageKey> = {
  'file.ready': 'admin.webhooks.fileReady',
  'file.rejected': 'admin.webhooks.fileRejected',
  'file.expired': 'admin.webhooks.fileExpired',
  'file.deleted': 'admin.webhooks.fileDeleted',
  'push.completed': 'admin.webhooks.pushCompleted',
  'device.removed': 'admin.webhooks.deviceRemoved',
  'device.disabled': 'admin.webhooks.deviceDisabled',
}
