import { mergePatch } from '../push/merge-patch.ts'
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
    // FCM would take `android.data` instead of `data`.
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
 * FCM's AndroidConfig. The tag makes a repeat replace the first on the phone. There is no `collapse_key` unless a
 * silent push, which has no tag, asks for it: FCM stores at most four per device, so one made of each message id would
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

/** FCM takes `channelId` for `channel_id`, but not both. */
function inSnakeCase(android: Record<string, unknown>): Record<string, unknown> {
  const renamed = snakeNames(android)
  const { notification } = renamed
  return isObject(notification) ? { ...renamed, notification: snakeNames(notification) } : renamed
}

function snakeNames(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function bodyFor(prepared: FcmPrepared, token: string): string {
  return prepared.before + JSON.stringify(token) + prepared.after
}

function entryBytes(entries: Record<string, unknown>, prefix = ''): number {
  let bytes = 0
  for (const [name, value] of Object.entries(entries)) {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    bytes += ENTRY_BYTES + Buffer.byteLength(prefix + name) + Buffer.byteLength(text)
  }
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
