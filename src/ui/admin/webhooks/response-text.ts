import type { PlainMessageKey } from '../../i18n/message-types.ts'
import type { Translator } from '../../i18n/translator.ts'

type Response = { httpStatus: number | null; failure: string | null }

/** The server's reasons for a failed attempt, without their details. */
const REASONS: [reason: RegExp, text: PlainMessageKey][] = [
  [/^connection refused$/, 'admin.webhooks.reasons.refused'],
  [/^the host name was not found$/, 'admin.webhooks.reasons.unknownHost'],
  [/^(the connection timed out$|no response within )/, 'admin.webhooks.reasons.timeout'],
  [/^TLS failed/, 'admin.webhooks.reasons.tls'],
  [/^the connection failed/, 'admin.webhooks.reasons.connection'],
  [/ has an address that is not public$/, 'admin.webhooks.reasons.privateAddress'],
  [/^answered 3\d\d: redirects are not followed$/, 'admin.webhooks.reasons.redirect'],
  [/^answered \d+$/, 'admin.webhooks.reasons.status'],
  [/^the receiver ended the subscription/, 'admin.webhooks.reasons.ended'],
  [/^not delivered within 72 hours/, 'admin.webhooks.reasons.expired'],
]

/** Returns why an attempt or a delivery failed, in the page's language, or null if it did not. */
export function failureText({ failure }: Response, t: Translator): string | null {
  if (failure === null) return null
  const known = REASONS.find(([reason]) => reason.test(failure))
  return known ? t(known[1]) : failure
}

/** Returns what the receiver answered in a few characters, such as "HTTP 500" or "Connection refused". */
export function responseText(response: Response, t: Translator): string | null {
  return response.httpStatus === null ? failureText(response, t) : `HTTP ${response.httpStatus}`
}
