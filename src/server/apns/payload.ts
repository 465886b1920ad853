import { createHash, hash } from 'node:crypto'
import { Notification as ApnsNotification, Priority, PushType } from 'apns2'
import type { Notification, Prepared } from '../push/ports.ts'

/** Apple: "The maximum payload size for a regular remote notification is 4 KB (4096 bytes)." The JSON as it is sent counts. */
const MAX_PAYLOAD_BYTES = 4096
const MAX_COLLAPSE_ID_BYTES = 64

/** A notification in APNs' form; token, credential and `apns-id` are added for each device. */
export type ApnsPrepared = Prepared & {
  platform: 'ios'
  messageId: string
  headers: Record<string, string>
  body: Buffer
}

/**
 * The payload: `aps`, beside it the entries of `data`, and `imageUrl` (with `mutable-content`, so that the
 * app's notification service extension can load the picture; Apple has no field for it).
 */
export function prepare(notification: Notification, topic: string, now: Date): ApnsPrepared {
  const { title, body, badge, sound, imageUrl, collapseId, priority, expiresAt } = notification
  const shape = new ApnsNotification('', {
    alert: { title, body },
    badge,
    sound,
    ...(imageUrl !== undefined && { mutableContent: true }),
  })
  // Spread, unlike apns2's own copying, keeps an entry named `__proto__`.
  const beside = imageUrl === undefined ? notification.data : { ...notification.data, imageUrl }
  const payload = Buffer.from(JSON.stringify({ ...beside, ...shape.buildApnsOptions() }))
  // 0: APNs tries once and stores nothing. Rounded up, so that less than a second does not become 0.
  const isPast = expiresAt.getTime() <= now.getTime()
  const expiration = isPast ? 0 : Math.ceil(expiresAt.getTime() / 1000)
  return {
    platform: 'ios',
    messageId: notification.messageId,
    bytesOver: Math.max(0, payload.length - MAX_PAYLOAD_BYTES),
    headers: {
      'apns-topic': topic,
      'apns-push-type': PushType.alert,
      'apns-priority': String(priority === 'high' ? Priority.immediate : Priority.throttled),
      'apns-expiration': String(expiration),
      'apns-collapse-id': collapseIdHeader(collapseId),
    },
    body: payload,
  }
}

/** The id if a header can carry it, else its digest: the same id always gives the same header. */
export function collapseIdHeader(id: string): string {
  if (id.length <= MAX_COLLAPSE_ID_BYTES && /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(id)) return id
  return createHash('sha256').update(id).digest('base64url')
}

/** `apns-id`: a UUID (version 8) of message and device, so that repeats of a push have the same id. */
export function apnsId(messageId: string, deviceId: string): string {
  const hex = hash('sha1', `${messageId} ${deviceId}`)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
