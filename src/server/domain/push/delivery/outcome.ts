/**
 * Result of a push to one device. A value, not an exception, because a rejected push is expected.
 * `reason` comes from the gateway (`BadDeviceToken`, `UNREGISTERED`) or from us (`GATEWAY_NOT_CONFIGURED`).
 */
export type FinalOutcome =
  /** The gateway accepted the push. */
  | { kind: 'accepted' }
  /** The gateway will never accept this push, but the device token is valid. */
  | { kind: 'rejected'; reason: string }
  /** The device token is invalid, since `since` if the gateway says so. The device is deleted. */
  | { kind: 'gone'; reason: string; since?: Date }
  /** The device token is invalid or our configuration is wrong. The device is disabled until it registers again. */
  | { kind: 'suspect'; reason: string }

/** The push can succeed later, after `afterMs` if the gateway says so. */
export type RetryOutcome = {
  kind: 'retry'
  reason: string
  afterMs?: number
  /** `afterMs` comes from the gateway's documentation, not from its answer. Pushes to one user can retry sooner. */
  assumed?: true
  /** The gateway throttles only this device. */
  device?: true
}

export type Outcome = FinalOutcome | RetryOutcome
