const FORM = /^[A-Za-z][A-Za-z0-9_]{0,47}$/
/** APNs has some 30 reasons, FCM some 10, and there are a few of ours. */
const MOST = 80

/** Gateways choose their words, so as a label only the first `MOST` of a sane form count; the rest is `other`. */
export function createReasons(): (reason: string) => string {
  const known = new Set<string>()
  return (reason) => {
    if (known.has(reason)) return reason
    if (known.size >= MOST || !FORM.test(reason)) return 'other'
    known.add(reason)
    return reason
  }
}
