import type { PushMessageStatus } from '@pigeonhole/client/push'

/** The state of a message in one sentence. A dry run counts the recipients and sends nothing. */
export function deliverySummary({ status, audience, sent }: PushMessageStatus, dryRun: boolean): string {
  const recipients = plural(audienceSize(audience))
  if (dryRun) return `Would be sent to ${recipients}`
  return status === 'completed' ? `Sent to ${sent} of ${recipients}` : 'Sending…'
}

export function audienceSize({ ios, android }: PushMessageStatus['audience']): number {
  return ios + android
}

function plural(devices: number): string {
  return devices === 1 ? '1 device' : `${devices} devices`
}
