import type { WebhookEventData } from './admin-types.ts'

/**
 * Event as delivered to a webhook. `type` determines the type of `data`. Ignore unknown types: newer servers can send
 * more.
 */
export type VerifiedEvent = {
  /** The header `webhook-id`: the same for every delivery of the event. Handle each ID once. */
  id: string
  timestamp: string
  sequence: number
} & { [Type in keyof WebhookEventData]: { type: Type; data: WebhookEventData[Type] } }[keyof WebhookEventData]

/** Request that is not a delivery of this server with this secret, or is too old. Respond with 400 or 401. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
  }
}

/** Tolerance of Standard Webhooks for the age of a delivery and for clock skew. */
const TOLERANCE_SECONDS = 5 * 60

/**
 * Verifies a delivery as defined by Standard Webhooks and returns its event. Reads the body, so call it before any other
 * code does. `secret`: `whsec_...`.
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  request: Pick<Request, 'headers' | 'text'>,
  secret: string,
): Promise<VerifiedEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    request.headers.get(name),
  )
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('The webhook headers are missing.')
  const ageSeconds = Date.now() / 1000 - Number(timestamp)
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(ageSeconds) > TOLERANCE_SECONDS)
    throw new WebhookVerificationError('The timestamp is more than 5 minutes from the current time.')
  const body = await request.text()
  const key = await importKey(secret)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  for (const given of signatures.split(' ')) {
    const signature = given.startsWith('v1,') ? bytesOf(given.slice(3)) : undefined
    // Compares in constant time.
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed)))
      return { id, ...JSON.parse(body) } as VerifiedEvent
  }
  throw new WebhookVerificationError('No valid signature. Check the secret.')
}

function importKey(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (!bytes?.length) throw new WebhookVerificationError('Invalid secret. Use the one returned at creation.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** Returns undefined if the text is not base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}
