/** Longer waits are taken for a fault of the gateway's clock. */
const MAX_MS = 24 * 60 * 60_000

/** `Retry-After` in milliseconds from now: seconds or an HTTP date (RFC 9110, 10.2.3); undefined if it is neither. */
export function retryAfterMs(header: string | string[] | undefined, now: Date): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim()
  if (!text) return undefined
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime()
  return Number.isFinite(ms) ? Math.min(MAX_MS, Math.max(0, Math.ceil(ms))) : undefined
}
