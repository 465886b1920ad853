import type { Reply } from '../gateway/request.ts'

/**
 * Status of every reason for which a push service rejects a message. Sources: RFC 8030 (5.2, 5.3, 5.4, 7.3, 8.4), RFC
 * 8292 (4.2), and the responses of Google's, Mozilla's and Apple's services. The names are this emulator's own, for the
 * request log and fault scripts.
 */
export const statusOf = {
  BadPath: 404,
  MethodNotAllowed: 405,
  MissingTtl: 400,
  BadTtl: 400,
  BadUrgency: 400,
  BadTopic: 400,
  BadContentEncoding: 400,
  BadRecord: 400,
  DuplicateHeaders: 400,
  MissingVapid: 401,
  BadVapid: 401,
  BadAudience: 401,
  BadExpiration: 401,
  BadSubject: 401,
  BadSignature: 401,
  WrongKey: 403,
  NotFound: 404,
  Gone: 410,
  PayloadTooLarge: 413,
  TooManyRequests: 429,
  InternalServerError: 500,
  BadGateway: 502,
  ServiceUnavailable: 503,
} as const

export type Reason = keyof typeof statusOf

export function isReason(text: string): text is Reason {
  return Object.hasOwn(statusOf, text)
}

/** Returns the response. Real services have different bodies, but none contains more information. */
export function replyWith(reason: Reason, retryAfterSeconds?: number): Reply {
  return {
    status: statusOf[reason],
    headers: {
      'content-type': 'application/json',
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
    body: JSON.stringify({ reason }),
  }
}
