import { AppError } from '../errors.ts'
import type { Content, Gateway, NewMessage, Notification, Platform, Prepared, Recipient } from './ports.ts'
import { DEFAULT_CATEGORY, type MessageView, type SendInput } from './schema.ts'

/** Without `ttlSeconds`. */
const DEFAULT_TTL_SECONDS = 86_400

export type Gateways = Record<Platform, Gateway>
export type PreparedForAll = Record<Platform, Prepared>

export function contentOf(input: SendInput): Content {
  const { title, body, data, collapseId, badge, sound, imageUrl } = input
  return {
    title,
    body,
    data,
    collapseId,
    badge,
    sound,
    imageUrl,
    category: input.category ?? DEFAULT_CATEGORY,
    ttlSeconds: input.ttlSeconds ?? DEFAULT_TTL_SECONDS,
    priority: input.priority ?? 'high',
  }
}

export function expiryOf(content: Content, createdAt: Date): Date {
  return new Date(createdAt.getTime() + content.ttlSeconds * 1000)
}

/** Without a collapse id the message's own id is used, so that a repeated push replaces the first on the phone. */
export function notificationOf(message: NewMessage): Notification {
  const { ttlSeconds: _, data, collapseId, ...content } = message.content
  return {
    ...content,
    messageId: message.id,
    data: data ?? {},
    collapseId: collapseId ?? message.id,
    expiresAt: message.expiresAt,
  }
}

export function prepareForAll(gateways: Gateways, message: NewMessage): PreparedForAll {
  const notification = notificationOf(message)
  return { ios: gateways.ios.prepare(notification), android: gateways.android.prepare(notification) }
}

const GATEWAY_NAMES = { ios: 'APNs', android: 'FCM' } as const

/**
 * Checks the limits of the gateways that the audience needs; of both for a broadcast or a user without devices.
 * @throws AppError PAYLOAD_TOO_LARGE
 */
export function rejectOversized(prepared: PreparedForAll, audience: Recipient[] | null): void {
  const isNeeded = (platform: Platform) => !audience?.length || audience.some((r) => r.platform === platform)
  const over = (['ios', 'android'] as const)
    .filter((platform) => isNeeded(platform) && prepared[platform].bytesOver > 0)
    .map((platform) => `${prepared[platform].bytesOver} bytes over for ${GATEWAY_NAMES[platform]}`)
  if (over.length === 0) return
  throw new AppError(
    'PAYLOAD_TOO_LARGE',
    `The notification is larger than the 4096 bytes that the gateways take: ${over.join(', ')}. Nothing was sent. Shorten title, body or data.`,
  )
}

export function emptyView(id: string, status: MessageView['status']): MessageView {
  return { id, status, audience: { ios: 0, android: 0 }, sent: 0, failed: 0, removed: 0, failures: [] }
}

export function viewOf(message: MessageView): MessageView {
  const { id, status, audience, sent, failed, removed, failures } = message
  return { id, status, audience, sent, failed, removed, failures }
}
