import { hash } from 'node:crypto'
import type { Notification, Prepared } from '../push/ports.ts'
import { MAX_PLAINTEXT_BYTES } from './encrypt.ts'

/** A notification in the form that our service worker shows; it is encrypted for each subscription. */
export type WebPushPrepared = Prepared & {
  platform: 'web'
  messageId: string
  /** Browsers must show each push, or the permission ends: they get no silent ones. */
  silent: boolean
  headers: Record<string, string>
  plaintext: Buffer
}

const MAX_TOPIC = 32

/** The payload of a push (docs/api.md, "What a service worker gets") and the headers of RFC 8030. */
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
      // Only where the caller asks for it: Google keeps four topics for each browser, and forgets the others. The tag
      // of the payload makes a repeat replace the first, too.
      ...(collapseId !== messageId && { topic: topicOf(collapseId) }),
    },
  }
}

/** RFC 8030, 5.4: 32 characters of base64url. What is none becomes its digest: the same id, the same topic. */
export function topicOf(collapseId: string): string {
  if (collapseId.length <= MAX_TOPIC && /^[\w-]+$/.test(collapseId)) return collapseId
  return hash('sha256', collapseId, 'base64url').slice(0, MAX_TOPIC)
}
