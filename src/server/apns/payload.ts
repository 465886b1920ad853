import { createHash, hash } from 'node:crypto'
import type { Priority, PushType } from 'apns2'
import { mergePatch } from '../push/merge-patch.ts'
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

/** The payload: `aps`, beside it the entries of `data`, `imageUrl` and `link`, for which Apple has no fields. */
export function prepare(notification: Notification, topic: string, now: Date): ApnsPrepared {
  const { imageUrl, link, data, apns, messageId } = notification
  const beside = { ...(imageUrl !== undefined && { imageUrl }), ...(link !== undefined && { link }) }
  const aps = mergePatch(apsOf(notification), apns?.aps ?? {})
  // Spread keeps an entry named `__proto__`.
  const payload = Buffer.from(JSON.stringify({ ...data, ...beside, aps }))
  return {
    platform: 'ios',
    messageId,
    bytesOver: Math.max(0, payload.length - MAX_PAYLOAD_BYTES),
    headers: { ...headersOf(notification, topic, now), ...apns?.headers },
    body: payload,
  }
}

/**
 * Apple, "Generating a remote notification". A picture needs `mutable-content`, so that the app's notification
 * service extension can load it.
 */
function apsOf(notification: Notification): Record<string, unknown> {
  const { silent, title, subtitle, body, badge, sound, imageUrl } = notification
  if (silent) return { 'content-available': 1 }
  const mutable = notification.mutableContent ?? imageUrl !== undefined
  return defined({
    alert: defined({ title, subtitle, body }),
    badge,
    sound,
    'thread-id': notification.threadId,
    'interruption-level': notification.interruptionLevel,
    'relevance-score': notification.relevanceScore,
    'mutable-content': mutable ? 1 : undefined,
    category: notification.actionCategory,
  })
}

/** Apple: a background push has priority 5; "specifying any other value is an error". */
function headersOf(notification: Notification, topic: string, now: Date): Record<string, string> {
  const { silent, collapseId, priority, expiresAt } = notification
  // 0: APNs tries once and stores nothing. Rounded up, so that less than a second does not become 0.
  const isPast = expiresAt.getTime() <= now.getTime()
  const expiration = isPast ? 0 : Math.ceil(expiresAt.getTime() / 1000)
  const isImmediate = priority === 'high' && !silent
  return {
    'apns-topic': topic,
    'apns-push-type': (silent ? 'background' : 'alert') satisfies `${PushType}`,
    'apns-priority': (isImmediate ? '10' : '5') satisfies `${Priority}`,
    'apns-expiration': String(expiration),
    'apns-collapse-id': collapseIdHeader(collapseId),
  }
}

function defined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
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
