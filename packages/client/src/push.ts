/** The push endpoints as a page calls them: JSON with a push token, no session. */

export type PushMessageStatus = {
  id: string
  status: 'queued' | 'sending' | 'completed' | 'cancelled' | 'dry-run'
  audience: { ios: number; android: number }
  sent: number
  failed: number
  removed: number
  failures: { deviceId: string; platform: 'ios' | 'android'; reason: string }[]
  /** Of `userIds`, only in the answer to the send. */
  unknownUserIds?: string[]
}

export type PushMessage = {
  title: string
  body: string
  category?: string
  userId?: string
  /** 1 to 1,000; instead of `userId` and `all`. */
  userIds?: string[]
  all?: boolean
  dryRun?: boolean
}

/** The message is the endpoint's, or says why there was no response. */
export class PushError extends Error {}

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
  const status = (await response.json().catch(() => null)) as
    | (PushMessageStatus & { error?: { message: string } })
    | null
  if (response.ok && status) return status
  if (response.status === 401)
    throw new PushError('This push token is unknown, revoked or expired. Ask an administrator for a new one.')
  throw new PushError(
    status?.error?.message ?? `The server answered with HTTP ${response.status}. Try again later.`,
  )
}
