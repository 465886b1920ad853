import type { Notification, Prepared } from '../push/ports.ts'

/**
 * Firebase: 4096 bytes "for most messages", which "includes both the keys and the values". Counted here is the
 * JSON of the whole message but the token, in UTF-8: some 100 bytes more than the sum of names and values, so
 * that what passes here is never refused there, however exactly FCM counts.
 */
const MAX_PAYLOAD_BYTES = 4096
/** Firebase: four weeks. */
const MAX_TTL_SECONDS = 2_419_200

/** A notification as FCM takes it, with a gap for the device token. */
export type FcmPrepared = Prepared & { platform: 'android'; before: string; after: string }

/**
 * No `collapse_key`: FCM stores at most four per device, so one made of each message id would drop messages
 * for phones that are switched off. The tag makes a repeat replace the first on the phone.
 */
export function prepare(notification: Notification, now: Date): FcmPrepared {
  const { title, body, badge, sound, imageUrl, collapseId, priority, expiresAt } = notification
  const payload = {
    notification: { title, body, ...(imageUrl !== undefined && { image: imageUrl }) },
    data: stringData(notification.data),
  }
  const secondsLeft = Math.ceil((expiresAt.getTime() - now.getTime()) / 1000)
  const android = {
    priority: priority === 'high' ? 'HIGH' : 'NORMAL',
    ttl: `${Math.min(MAX_TTL_SECONDS, Math.max(0, secondsLeft))}s`,
    notification: {
      tag: collapseId,
      ...(sound !== undefined && { sound }),
      ...(badge !== undefined && { notification_count: badge }),
    },
  }
  const rest = JSON.stringify({ ...payload, android })
  return {
    platform: 'android',
    bytesOver: Math.max(0, Buffer.byteLength(rest) - MAX_PAYLOAD_BYTES),
    before: '{"message":{"token":',
    after: `,${rest.slice(1)}}`,
  }
}

export function bodyFor(prepared: FcmPrepared, token: string): string {
  return prepared.before + JSON.stringify(token) + prepared.after
}

/** FCM takes strings only; whatever else stands there becomes its JSON. */
function stringData(data: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
}
