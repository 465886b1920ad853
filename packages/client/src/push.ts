import { EndpointError, type ErrorBody } from './endpoint-error.ts'

/** The push endpoints (JSON with a push token, without a session), and web push for browsers. */

export type PushMessageStatus = {
  id: string
  status: 'scheduled' | 'queued' | 'sending' | 'completed' | 'cancelled' | 'dry-run'
  audience: { ios: number; android: number; web: number }
  sent: number
  failed: number
  removed: number
  failures: { deviceId: string; platform: 'ios' | 'android' | 'web'; reason: string }[]
  /** Only for a push with `sendAt`. */
  sendAt?: string
  /** Unknown IDs of `userIds`, only in the response to the send. */
  unknownUserIds?: string[]
}

/** At most one of the five targets. Default: the push token's owner. */
export type PushMessage = PushTarget &
  PushContent & {
    /** Sends only to devices of these apps. Default: all apps. */
    apps?: string[]
    sendAt?: string
    dryRun?: boolean
  }

export type PushTarget = {
  userId?: string
  externalUserId?: string
  /** 1 to 1,000. */
  userIds?: string[]
  topic?: string
  all?: boolean
}

/** Fields and their limits: docs/api.md, `POST /api/push/send`. */
export type PushContent = {
  /** Required, like `body`, unless the push is `silent`. */
  title?: string
  body?: string
  subtitle?: string
  silent?: boolean
  data?: Record<string, unknown>
  /** Absolute URL that a tap opens. */
  link?: string
  imageUrl?: string
  category?: string
  translations?: Record<string, { title: string; body: string; subtitle?: string }>
  collapseId?: string
  ttlSeconds?: number
  priority?: 'high' | 'normal'
  badge?: number
  sound?: string
  threadId?: string
  interruptionLevel?: 'passive' | 'active' | 'time-sensitive'
  relevanceScore?: number
  mutableContent?: boolean
  actionCategory?: string
  androidChannelId?: string
  apns?: { aps?: Record<string, unknown>; headers?: Record<string, string> }
  android?: Record<string, unknown>
}

export type PushCallOptions = {
  /** Address of the server, such as https://files.example.com. Default: the page's origin. */
  baseUrl?: string
  signal?: AbortSignal
}

/** Error of a push endpoint. The message comes from the server, or says why there was no response. */
export class PushError extends EndpointError {}

/**
 * Sends a push: POST /api/push/send. The idempotency key prevents duplicates. Omit it only for dry runs.
 * @throws PushError
 */
export function sendPush(
  token: string,
  message: PushMessage,
  idempotencyKey: string | undefined,
  options: PushCallOptions = {},
): Promise<PushMessageStatus> {
  return call(token, '/api/push/send', options, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify(message),
  })
}

/** Returns a message: GET /api/push/messages/{id}, for the token that sent it or the admin secret. @throws PushError */
export function getPushMessage(
  token: string,
  id: string,
  options: PushCallOptions = {},
): Promise<PushMessageStatus> {
  return call(token, `/api/push/messages/${encodeURIComponent(id)}`, options)
}

/**
 * Cancels what has not been handed to a gateway: DELETE /api/push/messages/{id}, for the token that sent it or the admin
 * secret.
 * @throws PushError CONFLICT if the message is completed
 */
export async function cancelPushMessage(
  token: string,
  id: string,
  options: PushCallOptions = {},
): Promise<void> {
  await call(token, `/api/push/messages/${encodeURIComponent(id)}`, options, { method: 'DELETE' })
}

export type PushMessagePage = {
  items: (PushMessageStatus & { title: string | null; createdAt: string })[]
  nextCursor: string | null
}

/**
 * Lists the token's sent or scheduled messages, newest first, at most 100 per page: GET /api/push/messages.
 * @throws PushError
 */
export function listPushMessages(
  token: string,
  { cursor, limit, ...options }: PushCallOptions & { cursor?: string; limit?: number } = {},
): Promise<PushMessagePage> {
  const query = new URLSearchParams()
  if (cursor !== undefined) query.set('cursor', cursor)
  if (limit !== undefined) query.set('limit', String(limit))
  return call(token, `/api/push/messages?${query}`, options)
}

async function call<Result>(
  token: string,
  path: string,
  { baseUrl = '', signal }: PushCallOptions,
  init: RequestInit = {},
): Promise<Result> {
  const url = `${baseUrl.replace(/\/+$/, '')}${path}`
  let response: Response
  try {
    const headers = { ...init.headers, authorization: `Bearer ${token}` }
    response = await fetch(url, { ...init, headers, credentials: 'omit', signal })
  } catch (error) {
    throw new PushError('The server cannot be reached. Check the connection and try again.', { cause: error })
  }
  const result = (await response.json().catch(() => undefined)) as (Result & ErrorBody) | undefined
  if (response.ok && (result || response.status === 204)) return result as Result
  if (response.status === 401)
    throw new PushError(
      'This push token is unknown, revoked or expired. Ask an administrator for a new one.',
      { body: result },
    )
  throw new PushError(
    result?.error?.message ?? `The server responded with HTTP ${response.status}. Try again later.`,
    { body: result },
  )
}

export {
  createPushDevice,
  type PushDevice,
  type PushDeviceSnapshot,
  type PushDeviceState,
} from './push-device.ts'
export {
  disableWebPush,
  enableWebPush,
  WebPushError,
  type WebPushErrorReason,
  type WebPushOptions,
  type WebPushState,
  webPushEndpoint,
  webPushState,
} from './web-push.ts'
