import type { ApnsEnvironment, Platform, Recipient } from '../push/ports.ts'

export type RecipientRow = {
  id: string
  platform: Platform
  token: string
  environment: ApnsEnvironment
  last_seen_at: Date
}

export function recipientOf(row: RecipientRow): Recipient {
  return {
    deviceId: row.id,
    platform: row.platform,
    token: row.token,
    environment: row.environment,
    lastSeenAt: row.last_seen_at,
  }
}
