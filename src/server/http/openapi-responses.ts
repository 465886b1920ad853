import { HTTP_STATUS } from '@pigeonhole/client/error-codes'

const ERROR = {
  type: 'object',
  required: ['error', 'requestId'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { enum: Object.keys(HTTP_STATUS).filter((code) => code !== 'QUOTA_EXCEEDED') },
        message: { type: 'string', description: 'What was wrong, what is allowed, what to do.' },
        fieldErrors: {
          type: 'object',
          additionalProperties: { type: 'array', items: { type: 'string' } },
        },
      },
    },
    requestId: { type: 'string', description: 'Also in X-Request-Id; names the line in the log.' },
  },
}

const MEANING: Record<number, string> = {
  400: 'The input is not valid',
  401: 'The credential is missing, unknown, expired or revoked',
  403: 'This push token may not send to everybody',
  404: 'There is no such user, token or message',
  409: 'The Idempotency-Key belongs to another body, or its first request is still at work',
  413: 'The body, or the payload for a gateway, is too large',
  429: 'Too often; see Retry-After',
  500: 'A fault of ours, or the database is away',
}

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds until the same call may succeed', schema: { type: 'integer' } },
}

/** A JSON body, of a request or an answer. */
export function json(schema: object, example: unknown, required = false) {
  return {
    description: 'JSON',
    ...(required && { required }),
    content: { 'application/json': { schema, examples: { example: { value: example } } } },
  }
}

export function errorAnswers(...statuses: number[]) {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: MEANING[status]!,
        ...((status === 429 || status === 409) && { headers: RETRY_AFTER }),
        content: { 'application/json': { schema: ERROR } },
      },
    ]),
  )
}
