/**
 * What a gateway's answer means for one device. A value, not an exception: a refused push is an expected result.
 * Reasons are the gateway's own (`BadDeviceToken`, `UNREGISTERED`) or ours (`GATEWAY_NOT_CONFIGURED`).
 */
export type Outcome =
  /** The gateway accepted the push. */
  | { kind: 'accepted' }
  /** The gateway will never accept this push, for reasons other than the device, which stays. */
  | { kind: 'rejected'; reason: string }
  /** The device token is no longer valid, since `since` if the gateway says so: the device is deleted. */
  | { kind: 'gone'; reason: string; since?: Date }
  /** Not valid, or our own configuration is wrong: the device is disabled until it registers again. */
  | { kind: 'suspect'; reason: string }
  /** Try again, after `afterMs` if the gateway says so. */
  | {
      kind: 'retry'
      reason: string
      afterMs?: number
      /** The gateway gave no time: `afterMs` is what its documentation advises. Pushes to one user may retry sooner. */
      assumed?: true
      /** The gateway throttles this one device; it takes pushes to others. */
      device?: true
    }
