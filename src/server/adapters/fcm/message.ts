import type { Prepared } from '../../domain/push/delivery/gateway.ts'
import { mergePatch } from '../../domain/push/messages/merge-patch.ts'
import type { Notification } from '../../domain/push/messages/notification.ts'
import { isRecord } from '../../kernel/validation.ts'

/**
 * Firebase: 4096 bytes "for most messages", which "includes both the keys and the values". FCM also counts 39 bytes per
 * message and 6 per entry. Firebase does not document that: senders found that one, two and three entries of data can
 * have 4051, 4045 and 4039 bytes. Title, body and the like count as entries under their names on the phone.
 */
const MAX_PAYLOAD_BYTES = 4096
const MESSAGE_BYTES = 39
const ENTRY_BYTES = 6
const NOTIFICATION_PREFIX = 'gcm.notification.'

/** Firebase: four weeks. */
const MAX_TTL_SECONDS = 2_419_200

/** A notification in FCM's format: the JSON before and after the device token. */
export type FcmPrepared = Prepared & {
  platform: 'android'
  messageId: string
  before: string
  after: string
}

export function prepare(notification: Notification, now: Date): FcmPrepared {
  const { title, body, imageUrl, link, messageId } = notification
  const { data: overlaidData, ...android } = mergePatch(
    androidOf(notification, now),
    inSnakeCase(notification.android ?? {}),
  )
  const shown = notification.silent
    ? undefined
    : { title, body, ...(imageUrl !== undefined && { image: imageUrl }) }
  const data = {
    ...stringData({ ...notification.data, ...(link !== undefined && { link }) }),
    // FCM would use `android.data` instead of `data`.
    ...(overlaidData as Record<string, string> | undefined),
  }
  const rest = JSON.stringify({ notification: shown, data, android })
  const onPhone = { ...shown, ...(android.notification as object | undefined) }
  const bytes = MESSAGE_BYTES + entryBytes(data) + entryBytes(onPhone, NOTIFICATION_PREFIX)
  return {
    platform: 'android',
    messageId,
    bytesOver: Math.max(0, bytes - MAX_PAYLOAD_BYTES),
    before: '{"message":{"token":',
    after: `,${rest.slice(1)}}`,
  }
}

/**
 * Returns FCM's AndroidConfig. The tag makes a repeat replace the first push on the phone. Only silent pushes, which
 * have no tag, get a `collapse_key` if they ask for one. FCM stores at most four per device: one per message ID would
 * drop messages for phones that are switched off.
 */
function androidOf(notification: Notification, now: Date): Record<string, unknown> {
  const { silent, badge, sound, collapseId, messageId, priority, expiresAt, androidChannelId } = notification
  const secondsLeft = Math.ceil((expiresAt.getTime() - now.getTime()) / 1000)
  const delivery = {
    priority: priority === 'high' ? 'HIGH' : 'NORMAL',
    ttl: `${Math.min(MAX_TTL_SECONDS, Math.max(0, secondsLeft))}s`,
  }
  if (silent) return collapseId === messageId ? delivery : { ...delivery, collapse_key: collapseId }
  return {
    ...delivery,
    notification: {
      tag: collapseId,
      ...(sound !== undefined && { sound }),
      ...(badge !== undefined && { notification_count: badge }),
      ...(androidChannelId !== undefined && { channel_id: androidChannelId }),
    },
  }
}

/** FCM accepts `channelId` for `channel_id`, but not both. */
function inSnakeCase(android: Record<string, unknown>): Record<string, unknown> {
  const renamed = snakeNames(android)
  const { notification } = renamed
  return isRecord(notification) ? { ...renamed, notification: snakeNames(notification) } : renamed
}

function snakeNames(fields: Record<string, unknown>): Record<string, unknown> {
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snake(name), value]))
}

export function bodyFor(prepared: FcmPrepared, token: string): string {
  return prepared.before + JSON.stringify(token) + prepared.after
}

function entryBytes(entries: Record<string, unknown>, prefix = ''): number {
  let bytes = 0
  for (const [name, value] of Object.entries(entries))
    bytes += ENTRY_BYTES + Buffer.byteLength(prefix + name) + Buffer.byteLength(textOf(value) ?? '')
  return bytes
}

function stringData(data: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, textOf(value)]))
}

/** FCM accepts only strings, so other values become JSON. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
