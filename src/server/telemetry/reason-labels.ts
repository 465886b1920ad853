const WELL_FORMED = /^[A-Za-z][A-Za-z0-9_]{0,47}$/
/** APNs has about 30 reasons, FCM about 10, and we have a few. */
const MAX_REASONS = 80

/** Bounds the label's values, since gateways choose the reasons: the first `MAX_REASONS` well-formed ones, else `other`. */
export function createReasonLabels(): (reason: string) => string {
  const known = new Set<string>()
  return (reason) => {
    if (known.has(reason)) return reason
    if (known.size >= MAX_REASONS || !WELL_FORMED.test(reason)) return 'other'
    known.add(reason)
    return reason
  }
}
