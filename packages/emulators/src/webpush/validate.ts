import type { Rejection, ValidationResult } from '../gateway/gateway.ts'
import type { Exchange } from '../gateway/request.ts'
import type { AcceptedPush } from '../gateway/request-log.ts'
import { type Reason, replyWith } from './reasons.ts'
import { isRecord } from './record.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { VapidTokens } from './vapid.ts'

/** A message as the push service took it. `token` is the last part of the endpoint's path. */
export type WebPush = AcceptedPush & {
  /** Nothing that a push service could read. */
  readonly payload: null
  /** Encrypted. */
  readonly body: Buffer
  readonly ttl: number
  readonly urgency: 'very-low' | 'low' | 'normal' | 'high'
  readonly topic: string | null
}

export type ValidateOptions = {
  /** Of the endpoints: what tokens must be for. */
  origin: string
  vapid: VapidTokens
  subscriptions: Subscriptions
  /** Subscriptions that nobody has made are 404. */
  strict: boolean
  onCredential: (authorization: string) => void
}

export const PATH = '/push/'
/** RFC 8030, 7.2: a push service must take 4,096 bytes, and need not take more. */
const MAX_BODY_BYTES = 4096
/** Longer ones are taken for as long as this, as Google and Mozilla do: four weeks. */
const MAX_TTL_SECONDS = 2_419_200
const URGENCIES = ['very-low', 'low', 'normal', 'high'] as const

class Refused extends Error {
  readonly reason: Reason

  constructor(reason: Reason) {
    super(reason)
    this.reason = reason
  }
}

/** Judges one request: the address, then who sends, then how, then what, then whether the browser is still there. */
export function validate(exchange: Exchange, options: ValidateOptions): ValidationResult<WebPush> {
  const token = exchange.path.startsWith(PATH) ? exchange.path.slice(PATH.length) : null
  try {
    return judged(exchange, options)
  } catch (error) {
    if (error instanceof Refused) return refusal(error.reason, token)
    throw error
  }
}

export function refusal(reason: Reason, token: string | null, retryAfterSeconds?: number): Rejection {
  return { ok: false, token, reason, reply: replyWith(reason, retryAfterSeconds) }
}

function judged(exchange: Exchange, options: ValidateOptions): ValidationResult<WebPush> {
  const { headers, body } = exchange
  const token = addressed(exchange)
  if (exchange.repeatedHeaders.length > 0) throw new Refused('DuplicateHeaders')
  const subscription = options.subscriptions.get(token)
  if (!subscription && options.strict) throw new Refused('NotFound')
  checkSender(headers.authorization, subscription?.key ?? null, options)
  const ttl = ttlOf(headers.ttl)
  const urgency = urgencyOf(headers.urgency)
  const topic = headers.topic ?? null
  if (topic !== null && !/^[\w-]{1,32}$/.test(topic)) throw new Refused('BadTopic')
  checkBody(exchange)
  if (subscription?.gone) throw new Refused('Gone')
  return {
    ok: true,
    token,
    push: (facts) => ({ ...facts, token, payload: null, body, ttl, urgency, topic }),
    reply: {
      status: 201,
      headers: {
        location: `${options.origin}/message/${token}`,
        ttl: String(Math.min(ttl, MAX_TTL_SECONDS)),
      },
    },
  }
}

function addressed(exchange: Exchange): string {
  if (!exchange.path.startsWith(PATH)) throw new Refused('BadPath')
  if (exchange.method !== 'POST') throw new Refused('MethodNotAllowed')
  const token = exchange.path.slice(PATH.length)
  if (!/^[\w-]{1,200}$/.test(token)) throw new Refused('BadPath')
  return token
}

/** A subscription with a key takes messages of this key only (RFC 8292, 4). */
function checkSender(authorization: string | undefined, key: string | null, options: ValidateOptions): void {
  if (authorization === undefined && key === null) return
  const checked = options.vapid.check(authorization, options.origin)
  if ('reason' in checked) throw new Refused(checked.reason)
  if (key !== null && checked.key !== key) throw new Refused('WrongKey')
  options.onCredential(authorization!)
}

/** RFC 8030, 5.2: without it 400. */
function ttlOf(header: string | undefined): number {
  if (header === undefined) throw new Refused('MissingTtl')
  if (!/^\d{1,10}$/.test(header)) throw new Refused('BadTtl')
  return Number(header)
}

function urgencyOf(header = 'normal'): WebPush['urgency'] {
  const urgency = URGENCIES.find((one) => one === header)
  if (!urgency) throw new Refused('BadUrgency')
  return urgency
}

/** A message without a body wakes the service worker, which then asks its server. */
function checkBody({ headers, body, bodyBytes }: Exchange): void {
  if (bodyBytes > MAX_BODY_BYTES) throw new Refused('PayloadTooLarge')
  if (bodyBytes === 0) return
  if (headers['content-encoding'] !== 'aes128gcm') throw new Refused('BadContentEncoding')
  if (!isRecord(body)) throw new Refused('BadRecord')
}
