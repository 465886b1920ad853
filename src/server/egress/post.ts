import { type Agent, request } from 'undici'
import { ForbiddenAddressError } from './address-policy.ts'

/** Read of an answer, so that the connection can be used again; after more than that, or after a second, it is closed. */
const MAX_ANSWER_BYTES = 4_096
const ANSWER_MS = 1_000

/**
 * Posts once and follows no redirect. The status decides: what else the answer has to say is not read. `timeoutMs`
 * bounds everything before the status, from the look-up of the name on.
 */
export function createPost(agent: Agent, timeoutMs: number) {
  return async (
    { url, headers, body }: { url: string; headers: Record<string, string>; body: string },
    signal: AbortSignal,
  ): Promise<{ status: number } | { failure: string }> => {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const answer = await request(url, {
        method: 'POST',
        dispatcher: agent,
        headers,
        body,
        signal: AbortSignal.any([signal, timeout]),
      })
      await answer.body
        .dump({ limit: MAX_ANSWER_BYTES, signal: AbortSignal.timeout(ANSWER_MS) })
        // What breaks off after the status changes nothing.
        .catch(() => undefined)
      return { status: answer.statusCode }
    } catch (error) {
      return { failure: timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : failureOf(error) }
    }
  }
}

/** Says nothing of our network. */
function failureOf(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return error.message
  const code = String((error as { code?: unknown }).code ?? '')
  if (code === 'ECONNREFUSED') return 'connection refused'
  if (/^(ENOTFOUND|ENODATA|EAI_|ESERVFAIL|ENONAME)/.test(code)) return 'the host name was not found'
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'no connection in time'
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) return `TLS failed (${code})`
  return `the connection failed${code && ` (${code})`}`
}
