import type { Reason } from './reasons.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const COLLAPSE_ID_MAX_BYTES = 64

/** Checks the priority (Apple: "Sending notification requests to APNs"). Default: 10. Background pushes require 5. */
export function checkPriority(
  priority: string | undefined,
  pushType: string,
): { reason: Reason } | { priority: 1 | 5 | 10 } {
  const value = priority ?? '10'
  if (value !== '1' && value !== '5' && value !== '10') return { reason: 'BadPriority' }
  if (pushType === 'background' && value !== '5') return { reason: 'BadPriority' }
  return { priority: value === '1' ? 1 : value === '5' ? 5 : 10 }
}

/** Checks the expiration, a UNIX time in seconds. If it is 0 or absent, APNs tries once. */
export function checkExpiration(
  expiration: string | undefined,
): { reason: Reason } | { expiration: number | null } {
  if (expiration === undefined) return { expiration: null }
  if (!/^\d{1,15}$/.test(expiration)) return { reason: 'BadExpirationDate' }
  return { expiration: Number(expiration) }
}

/** Returns true if `apns-id` is a canonical UUID. */
export function isMessageId(id: string): boolean {
  return UUID.test(id)
}

export function isCollapseId(id: string): boolean {
  return Buffer.byteLength(id) <= COLLAPSE_ID_MAX_BYTES
}
