/**
 * What a gateway's answer means for one device. Values, not exceptions: a refused push is an expected result.
 * Reasons are the gateway's own words (`BadDeviceToken`, `UNREGISTERED`) or ours (`GATEWAY_NOT_CONFIGURED`).
 */
export type Outcome =
  /** The gateway took it. */
  | { kind: 'accepted' }
  /** This push will never be taken; the device is not to blame and stays. */
  | { kind: 'rejected'; reason: string }
  /** The device token is dead for certain, since `since` where the gateway says so: the device is deleted. */
  | { kind: 'gone'; reason: string; since?: Date }
  /** Dead, or our own configuration is wrong: the device is disabled until it registers again. */
  | { kind: 'suspect'; reason: string }
  /** Try again, not before `afterMs` where the gateway says so. */
  | {
      kind: 'retry'
      reason: string
      afterMs?: number
      /** The gateway named no time: `afterMs` is what its documents advise. Who waits for an answer may try sooner. */
      assumed?: true
    }
