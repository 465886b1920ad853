import type { Notification, Prepared } from '../push/ports.ts'

/**
 * Firebase: 4096 bytes "for most messages", which "includes both the keys and the values". FCM counts somewhat
 * more, without saying so: senders found that data alone may have 4051, 4045 and 4039 bytes of names and values
 * in one, two and three entries: 39, and 6 more for each entry. Title, body and the like count as entries too,
 * under the names with which they reach the phone.
 */
const MAX_PAYLOAD_BYTES = 4096
const MESSAGE_BYTES = 39
const ENTRY_BYTES = 6
const NOTIFICATION_PREFIX = 'gcm.notification.'

/** Firebase: four weeks. */
const MAX_TTL_SECONDS = 2_419_200

/** A notification in FCM's form: the JSON before and after the device token. */
export type FcmPrepared = Prepared & { platform: 'android'; before: string; after: string }

/**
 * No `collapse_key`: FCM stores at most four per device, so one made of each message id would drop messages
 * for phones that are switched off. The tag makes a repeat replace the first on the phone.
 */
export function prepare(notification: Notification, now: Date): FcmPrepared {
  const { title, body, badge, sound, imageUrl, collapseId, priority, expiresAt } = notification
  const shown = { title, body, ...(imageUrl !== undefined && { image: imageUrl }) }
  const androidNotification = {
    tag: collapseId,
    ...(sound !== undefined && { sound }),
    ...(badge !== undefined && { notification_count: badge }),
  }
  const data = stringData(notification.data)
  const secondsLeft = Math.ceil((expiresAt.getTime() - now.getTime()) / 1000)
  const android = {
    priority: priority === 'high' ? 'HIGH' : 'NORMAL',
    ttl: `${Math.min(MAX_TTL_SECONDS, Math.max(0, secondsLeft))}s`,
    notification: androidNotification,
  }
  const rest = JSON.stringify({ notification: shown, data, android })
  const bytes =
    MESSAGE_BYTES + entryBytes(data) + entryBytes({ ...shown, ...androidNotification }, NOTIFICATION_PREFIX)
  return {
    platform: 'android',
    bytesOver: Math.max(0, bytes - MAX_PAYLOAD_BYTES),
    before: '{"message":{"token":',
    after: `,${rest.slice(1)}}`,
  }
}

export function bodyFor(prepared: FcmPrepared, token: string): string {
  return prepared.before + JSON.stringify(token) + prepared.after
}

function entryBytes(entries: Record<string, string | number>, prefix = ''): number {
  let bytes = 0
  for (const [name, value] of Object.entries(entries))
    bytes += ENTRY_BYTES + Buffer.byteLength(prefix + name) + Buffer.byteLength(String(value))
  return bytes
}

/** FCM takes strings only; any other value becomes JSON. */
function stringData(data: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
}
