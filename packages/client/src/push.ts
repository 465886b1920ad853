import { EndpointError, type ErrorAnswer } from './endpoint-error.ts'

/** The push endpoints: JSON with a push token, no session. Web push: what a browser needs to get them. */

export type PushMessageStatus = {
  id: string
  status: 'scheduled' | 'queued' | 'sending' | 'completed' | 'cancelled' | 'dry-run'
  audience: { ios: number; android: number; web: number }
  sent: number
  failed: number
  removed: number
  failures: { deviceId: string; platform: 'ios' | 'android' | 'web'; reason: string }[]
  /** Only of a push with `sendAt`. */
  sendAt?: string
  /** Of `userIds`, only in the answer to the send. */
  unknownUserIds?: string[]
}

/** Without a target it goes to the owner of the push token; at most one of the five targets may be given. */
export type PushMessage = PushTarget & PushContent & { sendAt?: string; dryRun?: boolean }

export type PushTarget = {
  userId?: string
  externalUserId?: string
  /** 1 to 1,000. */
  userIds?: string[]
  topic?: string
  all?: boolean
}

/** What the fields mean, and their limits: docs/api.md, `POST /api/push/send`. */
export type PushContent = {
  /** Needed, as `body` is, unless the push is `silent`. */
  title?: string
  body?: string
  subtitle?: string
  silent?: boolean
  data?: Record<string, unknown>
  /** An absolute URL that a tap opens. */
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
  /** The app's address, like https://files.example.com. Default: the page's origin. */
  baseUrl?: string
  signal?: AbortSignal
}

/** The message is the endpoint's, or says why there was no response. */
export class PushError extends EndpointError {}

/** POST /api/push/send. The key makes a repeated click harmless. @throws PushError */
export function sendPush(
  token: string,
  message: PushMessage,
  idempotencyKey: string,
  options: PushCallOptions = {},
): Promise<PushMessageStatus> {
  return call(token, '/api/push/send', options, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify(message),
  })
}

/** GET /api/push/messages/{id}; the token that sent it, or the admin secret. @throws PushError */
export function getPushMessage(
  token: string,
  id: string,
  options: PushCallOptions = {},
): Promise<PushMessageStatus> {
  return call(token, `/api/push/messages/${encodeURIComponent(id)}`, options)
}

export type PushMessagePage = {
  items: (PushMessageStatus & { title: string | null; createdAt: string })[]
  nextCursor: string | null
}

/** GET /api/push/messages: what the token has sent or scheduled, newest first, up to 100 at once. @throws PushError */
export function listPushMessages(
  token: string,
  { cursor, limit, ...options }: PushCallOptions & { cursor?: string; limit?: number } = {},
): Promise<PushMessagePage> {
  const query = new URLSearchParams()
  if (cursor !== undefined) query.set('cursor', cursor)
  if (limit !== undefined) query.set('limit', String(limit))
  return call(token, `/api/push/messages?${query}`, options)
}

async function call<Answer>(
  token: string,
  path: string,
  { baseUrl = '', signal }: PushCallOptions,
  init: RequestInit = {},
): Promise<Answer> {
  const url = `${baseUrl.replace(/\/+$/, '')}${path}`
  let response: Response
  try {
    const headers = { ...init.headers, authorization: `Bearer ${token}` }
    response = await fetch(url, { ...init, headers, credentials: 'omit', signal })
  } catch (error) {
    throw new PushError('The server cannot be reached. Check the connection and try again.', { cause: error })
  }
  const answer = (await response.json().catch(() => undefined)) as (Answer & ErrorAnswer) | undefined
  if (response.ok && answer) return answer
  if (response.status === 401)
    throw new PushError(
      'This push token is unknown, revoked or expired. Ask an administrator for a new one.',
      { answer },
    )
  throw new PushError(
    answer?.error?.message ?? `The server answered with HTTP ${response.status}. Try again later.`,
    { answer },
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
  type WebPushFault,
  type WebPushOptions,
  type WebPushState,
  webPushEndpoint,
  webPushState,
} from './web-push.ts'
