import { randomUUID } from 'node:crypto'
import type { Rejection, ValidationResult } from '../gateway/gateway.ts'
import { isObject } from '../gateway/jws.ts'
import type { GatewayRequest } from '../gateway/request.ts'
import type { AcceptedPush } from '../gateway/request-log.ts'
import type { VirtualDevices } from './devices.ts'
import { checkExpiration, checkPriority, isCollapseId, isMessageId } from './headers.ts'
import type { ProviderTokens } from './provider-token.ts'
import { bodyOf, type Reason, statusOf } from './reasons.ts'
import { checkTopic } from './topics.ts'

/** Push accepted by APNs. */
export type ApnsPush = AcceptedPush & {
  readonly payload: Readonly<Record<string, unknown>>
  readonly topic: string
  readonly pushType: string
  readonly priority: 1 | 5 | 10
  /** Seconds since the epoch; null if absent. */
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

class RejectedError extends Error {
  readonly reason: Reason
  readonly timestamp: number | undefined

  constructor(reason: Reason, timestamp?: number) {
    super(reason)
    this.reason = reason
    this.timestamp = timestamp
  }
}

/** Validates a request in this order: address, credential, topic and headers, payload, device. */
export function validate(request: GatewayRequest, options: ValidateOptions): ValidationResult<ApnsPush> {
  const token = request.path.startsWith(DEVICE_PATH) ? request.path.slice(DEVICE_PATH.length) : null
  try {
    return acceptedPush(request, options)
  } catch (error) {
    if (error instanceof RejectedError) return rejection(error.reason, request, token, error.timestamp)
    throw error
  }
}

/** Returns the push of a valid request. @throws RejectedError */
function acceptedPush(request: GatewayRequest, options: ValidateOptions): ValidationResult<ApnsPush> {
  const { headers } = request
  const token = deviceTokenOf(request)
  if (request.repeatedHeaders.length > 0) throw new RejectedError('DuplicateHeaders')
  const credential = valueOrThrow(options.providerTokens.check(headers.authorization, request.connection))
  options.onCredential(credential.token)
  request.connection.trust()

  const apnsId = headers['apns-id'] ?? randomUUID().toUpperCase()
  if (!isMessageId(apnsId)) throw new RejectedError('BadMessageId')
  const { topic, pushType, bundleId } = valueOrThrow(
    checkTopic(headers['apns-topic'], headers['apns-push-type'], options.topics),
  )
  const { priority } = valueOrThrow(checkPriority(headers['apns-priority'], pushType))
  const { expiration } = valueOrThrow(checkExpiration(headers['apns-expiration']))
  const collapseId = headers['apns-collapse-id'] ?? null
  if (collapseId !== null && !isCollapseId(collapseId)) throw new RejectedError('BadCollapseId')

  const payload = payloadOf(request, pushType)
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

/** Returns the rejection with this reason and the push's own `apns-id` if it is valid. */
export function rejection(
  reason: Reason,
  request: GatewayRequest,
  token: string | null,
  timestamp?: number,
): Rejection {
  const given = request.headers['apns-id']
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

function valueOrThrow<T extends object>(result: { reason: Reason } | T): T {
  if ('reason' in result) throw new RejectedError(result.reason)
  return result
}

function deviceTokenOf({ method, path }: GatewayRequest): string {
  if (method !== 'POST') throw new RejectedError('MethodNotAllowed')
  if (path === '/3/device' || path === DEVICE_PATH) throw new RejectedError('MissingDeviceToken')
  if (!path.startsWith(DEVICE_PATH) || path.includes('?')) throw new RejectedError('BadPath')
  const token = path.slice(DEVICE_PATH.length)
  if (token.includes('/')) throw new RejectedError('BadPath')
  if (!DEVICE_TOKEN.test(token)) throw new RejectedError('BadDeviceToken')
  return token
}

/**
 * Returns the payload. Apple has no reason code for a body that is not a JSON object, so it counts as an empty payload.
 */
function payloadOf({ body, bodyBytes }: GatewayRequest, pushType: string): Record<string, unknown> {
  const max = pushType === 'voip' ? VOIP_PAYLOAD_MAX_BYTES : PAYLOAD_MAX_BYTES
  if (bodyBytes > max) throw new RejectedError('PayloadTooLarge')
  try {
    const payload: unknown = JSON.parse(body.toString('utf8'))
    if (isObject(payload) && Object.keys(payload).length > 0) return payload
  } catch {
    // Invalid JSON gets the same reason as an empty object.
  }
  throw new RejectedError('PayloadEmpty')
}

function checkDevice(token: string, bundleId: string, { devices, environment }: ValidateOptions): void {
  const device = devices.get(token)
  if (!device) {
    if (devices.strict) throw new RejectedError('BadDeviceToken')
    return
  }
  if ((device.environment ?? environment) !== environment) throw new RejectedError('BadDeviceToken')
  if ((device.topic ?? bundleId) !== bundleId) throw new RejectedError('DeviceTokenNotForTopic')
  if (device.gone) throw new RejectedError(device.gone.reason, device.gone.since)
}
