import type { Notification } from '../messages/notification.ts'
import type { Outcome } from './outcome.ts'
import type { Platform, Target } from './target.ts'

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
