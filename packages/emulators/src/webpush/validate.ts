import type { Rejection, ValidationResult } from '../gateway/gateway.ts'
import type { GatewayRequest } from '../gateway/request.ts'
import type { AcceptedPush } from '../gateway/request-log.ts'
import { type Reason, replyWith } from './reasons.ts'
import { isRecord } from './record.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { VapidTokens } from './vapid.ts'

/** Message accepted by the push service. `token` is the last segment of the endpoint's path. */
export type WebPush = AcceptedPush & {
  /** Always null: the push service cannot read the message. */
  readonly payload: null
  /** Encrypted body. */
  readonly body: Buffer
  readonly ttl: number
  readonly urgency: 'very-low' | 'low' | 'normal' | 'high'
  readonly topic: string | null
}

export type ValidateOptions = {
  /** Origin of the endpoints, which tokens must name as their audience. */
  origin: string
  vapid: VapidTokens
  subscriptions: Subscriptions
  /** If true, unknown subscriptions get 404. */
  strict: boolean
  onCredential: (authorization: string) => void
}

export const PATH = '/push/'
/** RFC 8030, 7.2: a push service must accept 4,096 bytes, but not more. */
const MAX_BODY_BYTES = 4096
/** Longer TTLs are shortened to four weeks, as Google and Mozilla do. */
const MAX_TTL_SECONDS = 2_419_200
const URGENCIES = ['very-low', 'low', 'normal', 'high'] as const

class RejectedError extends Error {
  readonly reason: Reason

  constructor(reason: Reason) {
    super(reason)
    this.reason = reason
  }
}

/** Validates a request in this order: address, sender, headers, body, subscription. */
export function validate(request: GatewayRequest, options: ValidateOptions): ValidationResult<WebPush> {
  const token = request.path.startsWith(PATH) ? request.path.slice(PATH.length) : null
  try {
    return acceptedPush(request, options)
  } catch (error) {
    if (error instanceof RejectedError) return rejection(error.reason, token)
    throw error
  }
}

export function rejection(reason: Reason, token: string | null, retryAfterSeconds?: number): Rejection {
  return { ok: false, token, reason, reply: replyWith(reason, retryAfterSeconds) }
}

/** Returns the push of a valid request. @throws RejectedError */
function acceptedPush(request: GatewayRequest, options: ValidateOptions): ValidationResult<WebPush> {
  const { headers, body } = request
  const token = subscriptionIdOf(request)
  if (request.repeatedHeaders.length > 0) throw new RejectedError('DuplicateHeaders')
  const subscription = options.subscriptions.get(token)
  if (!subscription && options.strict) throw new RejectedError('NotFound')
  checkSender(headers.authorization, subscription?.key ?? null, options)
  const ttl = ttlOf(headers.ttl)
  const urgency = urgencyOf(headers.urgency)
  const topic = headers.topic ?? null
  if (topic !== null && !/^[\w-]{1,32}$/.test(topic)) throw new RejectedError('BadTopic')
  checkBody(request)
  if (subscription?.gone) throw new RejectedError('Gone')
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

function subscriptionIdOf({ method, path }: GatewayRequest): string {
  if (!path.startsWith(PATH)) throw new RejectedError('BadPath')
  if (method !== 'POST') throw new RejectedError('MethodNotAllowed')
  const id = path.slice(PATH.length)
  if (!/^[\w-]{1,200}$/.test(id)) throw new RejectedError('BadPath')
  return id
}

/** Checks the sender. A subscription with a key only accepts messages of this key (RFC 8292, 4). */
function checkSender(authorization: string | undefined, key: string | null, options: ValidateOptions): void {
  if (authorization === undefined && key === null) return
  const checked = options.vapid.check(authorization, options.origin)
  if ('reason' in checked) throw new RejectedError(checked.reason)
  if (key !== null && checked.key !== key) throw new RejectedError('WrongKey')
  options.onCredential(authorization!)
}

/** Returns the TTL. A message without one gets 400 (RFC 8030, 5.2). */
function ttlOf(header: string | undefined): number {
  if (header === undefined) throw new RejectedError('MissingTtl')
  if (!/^\d{1,10}$/.test(header)) throw new RejectedError('BadTtl')
  return Number(header)
}

function urgencyOf(header = 'normal'): WebPush['urgency'] {
  const urgency = URGENCIES.find((one) => one === header)
  if (!urgency) throw new RejectedError('BadUrgency')
  return urgency
}

/** Checks the body. A message without a body wakes the service worker, which then asks its server. */
function checkBody({ headers, body, bodyBytes }: GatewayRequest): void {
  if (bodyBytes > MAX_BODY_BYTES) throw new RejectedError('PayloadTooLarge')
  if (bodyBytes === 0) return
  if (headers['content-encoding'] !== 'aes128gcm') throw new RejectedError('BadContentEncoding')
  if (!isRecord(body)) throw new RejectedError('BadRecord')
}
