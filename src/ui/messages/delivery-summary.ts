import type { PushMessageStatus } from '@pigeonhole/client/push'

/** The state of a message in one sentence. A dry run counts the recipients and sends nothing. */
export function deliverySummary({ status, audience, sent }: PushMessageStatus): string {
  const recipients = plural(audienceSize(audience))
  if (status === 'dry-run') return `Would be sent to ${recipients}`
  if (status === 'cancelled') return `Cancelled after ${sent} of ${recipients}`
  return status === 'completed' ? `Sent to ${sent} of ${recipients}` : 'Sending…'
}

/** Whether the counts are final. */
export function isFinished(message: PushMessageStatus | undefined): boolean {
  return message !== undefined && message.status !== 'queued' && message.status !== 'sending'
}

export function audienceSize({ ios, android }: PushMessageStatus['audience']): number {
  return ios + android
}

function plural(devices: number): string {
  return devices === 1 ? '1 device' : `${devices} devices`
}
