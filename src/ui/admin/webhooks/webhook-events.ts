import type { WebhookEvent } from '@pigeonhole/client/admin'
import type { PlainMessageKey } from '../../i18n/message-types.ts'

/** Labels of the events that a webhook can receive, in the form's order. */
export const WEBHOOK_EVENTS: Record<WebhookEvent, PlainMessageKey> = {
  'file.ready': 'admin.webhooks.fileReady',
  'file.held': 'admin.webhooks.fileHeld',
  'file.rejected': 'admin.webhooks.fileRejected',
  'file.expired': 'admin.webhooks.fileExpired',
  'file.deleted': 'admin.webhooks.fileDeleted',
  'push.completed': 'admin.webhooks.pushCompleted',
  'device.removed': 'admin.webhooks.deviceRemoved',
  'device.disabled': 'admin.webhooks.deviceDisabled',
}

export const EVENTS = Object.keys(WEBHOOK_EVENTS) as WebhookEvent[]

const LABELS: Record<string, PlainMessageKey> = {
  file: 'admin.webhooks.files',
  push: 'admin.webhooks.messages',
  device: 'admin.webhooks.devices',
}

/** The events grouped by subject: files, messages and devices. */
export const EVENT_GROUPS = Object.entries(LABELS).map(([kind, label]) => ({
  label,
  events: EVENTS.filter((type) => type.startsWith(`${kind}.`)),
}))
