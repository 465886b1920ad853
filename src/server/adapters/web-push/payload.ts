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

/** Creates the payload (docs/mobile.md, "What a service worker gets") and the headers of RFC 8030. */
export function prepare(notification: Notification, now: Date): WebPushPrepared {
  const { messageId, title, body, imageUrl, badge, link, data, collapseId, category, priority, expiresAt } =
    notification
  const payload = { title, body, imageUrl, badge, link, data, tag: collapseId, category, id: messageId }
  const plaintext = Buffer.from(JSON.stringify(payload))
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

/** Returns the ID, or its digest if it is no valid topic: RFC 8030, 5.4 allows 32 characters of base64url. */
export function topicOf(collapseId: string): string {
  if (collapseId.length <= MAX_TOPIC && /^[\w-]+$/.test(collapseId)) return collapseId
  return hash('sha256', collapseId, 'base64url').slice(0, MAX_TOPIC)
}
