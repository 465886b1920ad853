import { fail, ok, type Verdict, warn } from './report.ts'

export const TIMEOUT_MS = 15_000

/** Limits one request to a peer. */
export const timeLimit = () => AbortSignal.timeout(TIMEOUT_MS)

/** Sends a request and discards the response's body. */
export async function fetchStatus(url: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { signal: timeLimit(), ...init })
  await response.body?.cancel()
  return response
}

/**
 * Compares a peer's clock with this machine's, which signatures and tokens depend on. Runs `ask`, which returns the
 * peer's time or its HTTP `Date` header, and falls back to `unknown` if the peer sent none.
 */
export async function compareClocks(ask: () => Promise<Date | string | null | undefined>, unknown: Verdict) {
  const askedAt = Date.now()
  const answer = await ask()
  if (!answer) return unknown
  // `Date` headers are in whole seconds: take the middle of the second.
  const theirs = answer instanceof Date ? answer.getTime() : Date.parse(answer) + 500
  const seconds = Math.round((theirs - (askedAt + Date.now()) / 2) / 1000)
  const offset = seconds < 0 ? `${-seconds} s behind this machine` : `${seconds} s ahead of this machine`
  // URLs count as expired a minute after their expiry. Stores and gateways reject times that are 5 to 15 minutes off.
  if (Math.abs(seconds) <= 5) return ok('the clocks agree')
  if (Math.abs(seconds) <= 60) return warn(`its clock is ${offset}: set up NTP on both`)
  return fail(`its clock is ${offset}: set up NTP on both, or signatures will be rejected`)
}
