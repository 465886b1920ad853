import type { Outcome } from './outcome.ts'

export type Platform = 'ios' | 'android'
export type ApnsEnvironment = 'production' | 'sandbox'

/** Where one push goes. */
export type Target = {
  deviceId: string
  platform: Platform
  /** The gateway's device token. */
  token: string
  environment: ApnsEnvironment
}

/** What is sent, the same for every device of a message. */
export type Notification = {
  messageId: string
  title: string
  body: string
  /** Extra payload: beside `aps` for APNs; strings (others as JSON) for FCM. */
  data: Record<string, unknown>
  category: string
  /** The caller's collapse id, else made of the message id, so that a repeated push shows once. */
  collapseId: string
  /** After this the gateway may drop it. */
  expiresAt: Date
  priority: 'high' | 'normal'
  badge?: number
  sound?: string
  imageUrl?: string
}

/** A notification in one gateway's own form, made once per message. Opaque to the domain. */
export type Prepared = { readonly platform: Platform; readonly bytesOver: number }

/** A push gateway (APNs, FCM). Never throws for what a gateway or network does: that is an Outcome. */
export type Gateway = {
  readonly platform: Platform
  /** Encodes the payload; `bytesOver` is how far it is above the gateway's limit (0: it fits). */
  prepare(notification: Notification): Prepared
  /** One attempt; retrying is the caller's. Waits for a free place in flight; the time limit starts when the request is on a stream. */
  send(prepared: Prepared, target: Target): Promise<Outcome>
  /** Waits for what is in flight (up to `timeoutMs`), then closes the connections. */
  close(timeoutMs?: number): Promise<void>
}
