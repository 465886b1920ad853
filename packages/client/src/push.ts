import { EndpointError, type ErrorAnswer } from './endpoint-error.ts'

/** The push endpoints as a page calls them: JSON with a push token, no session. */

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

/** What a push says, and how it looks and sounds. docs/api.md has all fields. */
export type PushContent = {
  title?: string
  body?: string
  subtitle?: string
  category?: string
  link?: string
  imageUrl?: string
  sound?: string
  badge?: number
  priority?: 'high' | 'normal'
  data?: Record<string, string>
  /** By language tag (BCP 47). */
  translations?: Record<string, { title: string; body: string }>
}

/** A push and whom it is for: one of `userId`, `userIds`, `topic` and `all`, or none for the token's owner. */
export type PushMessage = PushContent & {
  title: string
  body: string
  userId?: string
  /** 1 to 1,000. */
  userIds?: string[]
  topic?: string
  all?: boolean
  /** ISO 8601 with offset, up to 30 days ahead. */
  sendAt?: string
  dryRun?: boolean
}

/** The message is the endpoint's, or says why there was no response. */
export class PushError extends EndpointError {}

/** POST /api/push/send. The key makes a repeated click harmless. @throws PushError */
export function sendPush(
  token: string,
  message: PushMessage,
  idempotencyKey: string,
): Promise<PushMessageStatus> {
  return call(token, '/api/push/send', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify(message),
  })
}

/** GET /api/push/messages/{id}; the token that sent it, or the admin secret. @throws PushError */
export function getPushMessage(token: string, id: string, signal?: AbortSignal): Promise<PushMessageStatus> {
  return call(token, `/api/push/messages/${encodeURIComponent(id)}`, { signal })
}

async function call(token: string, path: string, init: RequestInit): Promise<PushMessageStatus> {
  let response: Response
  try {
    const headers = { ...init.headers, authorization: `Bearer ${token}` }
    response = await fetch(path, { ...init, headers, credentials: 'omit' })
  } catch (error) {
    throw new PushError('The server cannot be reached. Check the connection and try again.', { cause: error })
  }
  const answer = (await response.json().catch(() => undefined)) as
    | (PushMessageStatus & ErrorAnswer)
    | undefined
  if (response.ok && answer) return answer
  if (response.status === 401)
    throw new PushError(
      'This push token is unknown, revoked or expired. Ask an administrator for a new one.',
      {
        answer,
      },
    )
  throw new PushError(
    answer?.error?.message ?? `The server answered with HTTP ${response.status}. Try again later.`,
    { answer },
  )
}

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
