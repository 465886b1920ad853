import { hash } from 'node:crypto'
import type { Prepared } from '../../domain/push/delivery/gateway.ts'
import type { Notification } from '../../domain/push/messages/notification.ts'
import { MAX_PLAINTEXT_BYTES } from './encrypt.ts'

/** A notification in the service worker's format. It is encrypted for each subscription. */
export type WebPushPrepared = Prepared & {
  platform: 'web'
  messageId: string
  /** Silent pushes are rejected: browsers require a notification for each push, or revoke the permission. */
  silent: boolean
  headers: Record<string, string>
  plaintext: Buffer
}

const MAX_TOPIC = 32

/**
 * Creates the payload (docs/mobile.md, "What a service worker gets") and the headers of RFC 8030. `origin`: base of links.
 * If service workers' fields and the declarative form exceed the limit together, the former are sent alone.
 */
export function prepare(notification: Notification, origin: string, now: Date): WebPushPrepared {
  const { messageId, title, body, imageUrl, badge, link, data, collapseId, category, priority, expiresAt } =
    notification
  const payload = { title, body, imageUrl, badge, link, data, tag: collapseId, category, id: messageId }
  const both = Buffer.from(JSON.stringify({ ...payload, ...declarative(notification, origin) }))
  const plaintext = both.length > MAX_PLAINTEXT_BYTES ? Buffer.from(JSON.stringify(payload)) : both
  const ttl = Math.max(0, Math.ceil((expiresAt.getTime() - now.getTime()) / 1000))
  return {
    platform: 'web',
    messageId,
    silent: notification.silent === true,
    bytesOver: Math.max(0, plaintext.length - MAX_PLAINTEXT_BYTES),
    plaintext,
    headers: {
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      ttl: String(ttl),
      urgency: priority === 'high' ? 'high' : 'normal',
      // Only if the caller asks for it, because Google keeps just four topics per browser. The payload's tag alone
      // makes a repeat replace the first.
      ...(collapseId !== messageId && { topic: topicOf(collapseId) }),
    },
  }
}

/** The message for browsers that show it without a service worker (Push API, "declarative push message"). */
function declarative({ title, body, imageUrl, badge, link, collapseId }: Notification, origin: string) {
  return {
    web_push: 8030,
    notification: { title, body, navigate: targetOf(link, origin), tag: collapseId, image: imageUrl },
    app_badge: badge,
  }
}

/** Returns an absolute URL. Links that are neither http nor https open the messages page, as in our service worker. */
function targetOf(link: string | undefined, origin: string): string {
  const url = link === undefined ? null : URL.parse(link, origin)
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url.href
  return new URL('/messages', origin).href
}

/** Returns the ID, or its digest if it is not a valid topic: RFC 8030, 5.4 allows 32 characters of base64url. */
export function topicOf(collapseId: string): string {
  if (collapseId.length <= MAX_TOPIC && /^[\w-]+$/.test(collapseId)) return collapseId
  return hash('sha256', collapseId, 'base64url').slice(0, MAX_TOPIC)
}
