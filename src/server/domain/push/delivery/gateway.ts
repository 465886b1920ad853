import type { PushService } from '../devices/push-services.ts'
import type { Notification } from '../messages/notification.ts'

/**
 * Result of a push to one device. A value, not an exception, because a rejected push is expected.
 * `reason` comes from the gateway (`BadDeviceToken`, `UNREGISTERED`) or from us (`GATEWAY_NOT_CONFIGURED`).
 */
export type FinalOutcome =
  /** The gateway accepted the push. */
  | { kind: 'accepted' }
  /** The gateway will never accept this push, but the device token is valid. */
  | { kind: 'rejected'; reason: string }
  /** The device token is invalid; `since`: from when, if the gateway says so. The device is deleted. */
  | { kind: 'gone'; reason: string; since?: Date }
  /** The device token is invalid or our configuration is wrong. The device is disabled until it registers again. */
  | { kind: 'suspect'; reason: string }

/** The push can succeed later, after `afterMs` if the gateway says so. */
export type RetryOutcome = {
  kind: 'retry'
  reason: string
  afterMs?: number
  /** `afterMs` comes from the gateway's documentation, not from its response. Pushes to one user can retry sooner. */
  assumed?: true
  /** The gateway throttles only this device. */
  device?: true
}

export type Outcome = FinalOutcome | RetryOutcome

/** The most frequent outcome, which all pushes share. */
export const ACCEPTED: Outcome = Object.freeze({ kind: 'accepted' })

export type Platform = 'ios' | 'android' | 'web'

export type ApnsEnvironment = 'production' | 'sandbox'

/** Destination of one push. */
export type Target = {
  deviceId: string
  platform: Platform
  /** The gateway's device token, or the endpoint of a web push subscription. */
  token: string
  environment: ApnsEnvironment
  /** Only for web push: the subscription's keys (base64url) and push service. */
  webPush?: { p256dh: string; auth: string; service: PushService }
}

/** Device that receives a push. */
export type Recipient = Target & {
  app: string
  /** Canonical language tag (BCP 47), or null if the device reported none. */
  locale?: string | null
  /**
   * Time of the last registration, as PostgreSQL writes it: converting it would take a hundredth of a broadcast's CPU. A
   * later one keeps the device from being removed.
   */
  lastSeenAt: string
}

/** Notification in a gateway's format, created once per message and language. Opaque to the domain. */
export type Prepared = { readonly platform: Platform; readonly bytesOver: number }

/** Push gateway (APNs, FCM, web push). Rejections and network failures are outcomes, never exceptions. */
export type Gateway = {
  readonly platform: Platform
  /** Encodes the payload. `bytesOver`: bytes above the gateway's limit, or 0. */
  prepare(notification: Notification): Prepared
  /**
   * Sends once, without retries. Waits for a free stream; the timeout starts when the request gets one. `onTurn` is
   * called then, and again if the request moves to another stream. If it returns false, the push is not sent.
   */
  send(prepared: Prepared, target: Target, onTurn?: () => boolean): Promise<Outcome>
  /** Waits up to `timeoutMs` for requests in flight, then closes the connections. */
  close(timeoutMs?: number): Promise<void>
}

export type Gateways = Record<Platform, Gateway>
