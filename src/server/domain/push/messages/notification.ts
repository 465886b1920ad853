import type { PushOptions, SendInput } from './schema.ts'

/** Content and delivery options, as stored with the message. */
export type Content = PushOptions &
  Pick<SendInput, 'title' | 'body' | 'silent' | 'data'> &
  Required<Pick<PushOptions, 'category' | 'ttlSeconds' | 'priority'>>

/** Content for all devices of a message with the same language. */
export type Notification = Omit<Content, 'translations' | 'ttlSeconds' | 'apps'> & {
  messageId: string
  /** Beside `aps` for APNs; as strings (or JSON) for FCM. */
  data: Record<string, unknown>
  /** The caller's, or else created from the message ID, so that a repeated push is shown once. */
  collapseId: string
  /** Gateways can drop the push after this time. */
  expiresAt: Date
}
