import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import type { Notification as ApnsNotification } from 'apns2'
import type { Prepared } from '../../domain/push/delivery/gateway.ts'
import { mergePatch } from '../../domain/push/messages/merge-patch.ts'
import type { Notification } from '../../domain/push/messages/notification.ts'
import { rawHeaders } from '../http2/connection-pool.ts'

/**
 * Apple: "The maximum payload size for a regular remote notification is 4 KB (4096 bytes)." The limit applies to the
 * JSON as sent.
 */
const MAX_PAYLOAD_BYTES = 4096
const MAX_COLLAPSE_ID_BYTES = 64
/** apns2 requires a device for each notification, but ours are prepared once for all devices. */
const NO_DEVICE = ''

const require = createRequire(import.meta.url)

/** A notification in APNs's format, without the token, credential and `apns-id` of each device. */
export type ApnsPrepared = Prepared & {
  platform: 'ios'
  messageId: string
  /** Names and values in turn. */
  headers: readonly string[]
  body: Buffer
}

/** Puts `data`, `imageUrl` and `link` next to `aps`, because Apple has no fields for them. */
export function prepare(notification: Notification, topic: string, now: Date): ApnsPrepared {
  const { imageUrl, link, data, apns, messageId } = notification
  const apnsNotification = toApnsNotification(notification, topic, now)
  const urls = { ...(imageUrl !== undefined && { imageUrl }), ...(link !== undefined && { link }) }
  const aps = mergePatch(apnsNotification.buildApnsOptions().aps, apns?.aps ?? {})
  // apns2's `data` would lose an entry named `__proto__`, which spread keeps.
  const payload = Buffer.from(JSON.stringify({ ...data, ...urls, aps }))
  return {
    platform: 'ios',
    messageId,
    bytesOver: Math.max(0, payload.length - MAX_PAYLOAD_BYTES),
    headers: rawHeaders({ ...headersOf(apnsNotification), ...apns?.headers }),
    body: payload,
  }
}

function toApnsNotification(notification: Notification, topic: string, now: Date): ApnsNotification {
  // Loaded with the first push, because apns2's client and signer take 65 ms of CPU and 8 MB.
  const { Notification, Priority, SilentNotification } = require('apns2') as typeof import('apns2')
  const { silent, title, subtitle, body, imageUrl, expiresAt } = notification
  const isPast = expiresAt.getTime() <= now.getTime()
  const delivery = {
    topic,
    collapseId: collapseIdHeader(notification.collapseId),
    // With 0, APNs tries once and stores nothing. Round up, so that less than a second does not become 0.
    expiration: isPast ? 0 : Math.ceil(expiresAt.getTime() / 1000),
  }
  // Apple: a background push has priority 5, and "specifying any other value is an error".
  if (silent) return new SilentNotification(NO_DEVICE, delivery)
  // The app's notification service extension needs it to load a picture.
  const isMutable = notification.mutableContent ?? imageUrl !== undefined
  return new Notification(NO_DEVICE, {
    ...delivery,
    priority: notification.priority === 'high' ? Priority.immediate : Priority.throttled,
    // Only silent pushes lack them.
    alert: { title: title!, subtitle, body: body! },
    badge: notification.badge,
    sound: notification.sound,
    threadId: notification.threadId,
    category: notification.actionCategory,
    // apns2 writes `false` as 0.
    mutableContent: isMutable || undefined,
    aps: {
      'interruption-level': notification.interruptionLevel,
      'relevance-score': notification.relevanceScore,
    },
  })
}

function headersOf({ pushType, priority, options }: ApnsNotification): Record<string, string> {
  return {
    'apns-topic': options.topic!,
    'apns-push-type': pushType,
    'apns-priority': String(priority),
    'apns-expiration': String(options.expiration),
    'apns-collapse-id': options.collapseId!,
  }
}

/** Returns the ID if a header can carry it, or else its digest. The same ID always gives the same header. */
export function collapseIdHeader(id: string): string {
  if (id.length <= MAX_COLLAPSE_ID_BYTES && /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(id)) return id
  return hash('sha256', id, 'base64url')
}

/** Returns the `apns-id`: a UUID (version 8) of message and device, so that repeats of a push share it. */
export function apnsId(messageId: string, deviceId: string): string {
  const hex = hash('sha1', `${messageId} ${deviceId}`)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
