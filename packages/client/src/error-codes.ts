/** The server's error codes (`error.data.code`, `error.code`) and their HTTP status. */
export const HTTP_STATUS = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  QUOTA_EXCEEDED: 413,
  PAYLOAD_TOO_LARGE: 413,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof HTTP_STATUS

/** Problems by field path (`error.data.fieldErrors`). */
export type FieldErrors = Record<string, string[]>
