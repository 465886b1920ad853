import { randomUUID } from 'node:crypto'
import type { Rejection, ValidationResult } from '../gateway/gateway.ts'
import { isObject } from '../gateway/jws.ts'
import type { Exchange } from '../gateway/request.ts'
import type { AcceptedPush } from '../gateway/request-log.ts'
import type { VirtualDevices } from './devices.ts'
import { checkExpiration, checkPriority, isCollapseId, isMessageId } from './headers.ts'
import type { ProviderTokens } from './provider-token.ts'
import { bodyOf, type Reason, statusOf } from './reasons.ts'
import { checkTopic } from './topics.ts'

/** A push as APNs took it. */
export type ApnsPush = AcceptedPush & {
  readonly payload: Readonly<Record<string, unknown>>
  readonly topic: string
  readonly pushType: string
  readonly priority: 1 | 5 | 10
  /** Seconds since the epoch; null: none given. */
  readonly expiration: number | null
  readonly apnsId: string
  readonly collapseId: string | null
}

export type ValidateOptions = {
  topics: readonly string[]
  environment: 'production' | 'sandbox'
  providerTokens: ProviderTokens
  devices: VirtualDevices
  onCredential: (providerToken: string) => void
}

const PAYLOAD_MAX_BYTES = 4096
const VOIP_PAYLOAD_MAX_BYTES = 5120
const DEVICE_TOKEN = /^(?:[0-9a-f]{2}){32,100}$/i
const DEVICE_PATH = '/3/device/'

class Refused extends Error {
  readonly reason: Reason
  readonly timestamp: number | undefined

  constructor(reason: Reason, timestamp?: number) {
    super(reason)
    this.reason = reason
    this.timestamp = timestamp
  }
}

/** Judges one request: the address, then who sends, then to whom and how, then what. */
export function validate(exchange: Exchange, options: ValidateOptions): ValidationResult<ApnsPush> {
  const token = exchange.path.startsWith(DEVICE_PATH) ? exchange.path.slice(DEVICE_PATH.length) : null
  try {
    return judged(exchange, options)
  } catch (error) {
    if (error instanceof Refused) return refusal(error.reason, exchange, token, error.timestamp)
    throw error
  }
}

function judged(exchange: Exchange, options: ValidateOptions): ValidationResult<ApnsPush> {
  const { headers } = exchange
  const token = addressed(exchange)
  if (exchange.repeatedHeaders.length > 0) throw new Refused('DuplicateHeaders')
  const credential = settled(options.providerTokens.check(headers.authorization, exchange.connection))
  options.onCredential(credential.token)
  exchange.connection.trust()

  const apnsId = headers['apns-id'] ?? randomUUID().toUpperCase()
  if (!isMessageId(apnsId)) throw new Refused('BadMessageId')
  const { topic, pushType, bundleId } = settled(
    checkTopic(headers['apns-topic'], headers['apns-push-type'], options.topics),
  )
  const { priority } = settled(checkPriority(headers['apns-priority'], pushType))
  const { expiration } = settled(checkExpiration(headers['apns-expiration']))
  const collapseId = headers['apns-collapse-id'] ?? null
  if (collapseId !== null && !isCollapseId(collapseId)) throw new Refused('BadCollapseId')

  const payload = payloadOf(exchange, pushType)
  checkDevice(token, bundleId, options)
  return {
    ok: true,
    token,
    push: (facts) => ({
      ...facts,
      token,
      payload,
      topic,
      pushType,
      priority,
      expiration,
      apnsId,
      collapseId,
    }),
    reply: {
      status: 200,
      headers:
        options.environment === 'sandbox'
          ? { 'apns-id': apnsId, 'apns-unique-id': randomUUID() }
          : { 'apns-id': apnsId },
    },
  }
}

/** The refusal with this reason, with the push's own `apns-id` where it has a usable one. */
export function refusal(
  reason: Reason,
  exchange: Exchange,
  token: string | null,
  timestamp?: number,
): Rejection {
  const given = exchange.headers['apns-id']
  return {
    ok: false,
    token,
    reason,
    reply: {
      status: statusOf[reason],
      headers: {
        'apns-id': given && isMessageId(given) ? given : randomUUID().toUpperCase(),
        'content-type': 'application/json; charset=utf-8',
      },
      body: bodyOf(reason, timestamp),
    },
  }
}

function settled<T extends object>(result: { reason: Reason } | T): T {
  if ('reason' in result) throw new Refused(result.reason)
  return result
}

function addressed(exchange: Exchange): string {
  if (exchange.method !== 'POST') throw new Refused('MethodNotAllowed')
  const { path } = exchange
  if (path === '/3/device' || path === DEVICE_PATH) throw new Refused('MissingDeviceToken')
  if (!path.startsWith(DEVICE_PATH) || path.includes('?')) throw new Refused('BadPath')
  const token = path.slice(DEVICE_PATH.length)
  if (token.includes('/')) throw new Refused('BadPath')
  if (!DEVICE_TOKEN.test(token)) throw new Refused('BadDeviceToken')
  return token
}

/** Apple has no reason of its own for a body that is not a JSON object; it is treated as an empty payload. */
function payloadOf(exchange: Exchange, pushType: string): Record<string, unknown> {
  const max = pushType === 'voip' ? VOIP_PAYLOAD_MAX_BYTES : PAYLOAD_MAX_BYTES
  if (exchange.bodyBytes > max) throw new Refused('PayloadTooLarge')
  try {
    const payload: unknown = JSON.parse(exchange.body.toString('utf8'))
    if (isObject(payload) && Object.keys(payload).length > 0) return payload
  } catch {
    // not JSON
  }
  throw new Refused('PayloadEmpty')
}

function checkDevice(token: string, bundleId: string, { devices, environment }: ValidateOptions): void {
  const device = devices.get(token)
  if (!device) {
    if (devices.strict) throw new Refused('BadDeviceToken')
    return
  }
  if ((device.environment ?? environment) !== environment) throw new Refused('BadDeviceToken')
  if ((device.topic ?? bundleId) !== bundleId) throw new Refused('DeviceTokenNotForTopic')
  if (device.gone) throw new Refused(device.gone.reason, device.gone.since)
}
