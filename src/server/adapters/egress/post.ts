import { type Agent, request } from 'undici'
import type { Post } from '../../domain/webhooks/delivery-worker.ts'
import { ForbiddenAddressError } from './address-policy.ts'

/** Limits for reading a response's body, which lets the connection be reused. Beyond them, the connection is closed. */
const MAX_BODY_BYTES = 4_096
const BODY_TIMEOUT_MS = 1_000

/** Posts once, follows no redirect and discards the body. `timeoutMs` limits everything from DNS lookup to status. */
export function createPost(agent: Agent, timeoutMs: number): Post {
  return async ({ url, ...content }, signal) => {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await request(url, {
        ...content,
        method: 'POST',
        dispatcher: agent,
        signal: AbortSignal.any([signal, timeout]),
      })
      await response.body
        .dump({ limit: MAX_BODY_BYTES, signal: AbortSignal.timeout(BODY_TIMEOUT_MS) })
        // A failure after the status changes nothing.
        .catch(() => undefined)
      return { status: response.statusCode }
    } catch (error) {
      return { failure: timeout.aborted ? `no response within ${timeoutMs / 1000} s` : failureOf(error) }
    }
  }
}

/** Describes a failure to the webhook's owner, without details of our network. */
function failureOf(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return error.message
  const code = String((error as { code?: unknown }).code ?? '')
  if (code === 'ECONNREFUSED') return 'connection refused'
  if (/^(ENOTFOUND|ENODATA|EAI_|ESERVFAIL|ENONAME)/.test(code)) return 'the host name was not found'
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'the connection timed out'
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) return `TLS failed (${code})`
  return `the connection failed${code && ` (${code})`}`
}
