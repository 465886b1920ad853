import { HTTP_STATUS } from '@pigeonhole/client/error-codes'
import { z } from 'zod'

/** Of endpoints that are not tRPC's. */
export const ERROR = {
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
    requestId: { type: 'string', description: 'Also in X-Request-Id; finds the log lines of the request.' },
  },
}

const MEANING: Record<number, string> = {
  400: 'The input is invalid',
  401: 'The credential is missing, unknown, expired or revoked',
  403: 'The scopes of this push token do not allow this target; the session is not of an admin',
  404: 'There is no such user, token, message, webhook or delivery',
  409: 'The Idempotency-Key was used with another body, or its first request is still in progress; the message to cancel is completed; what is to be created exists, or the state does not allow it',
  413: 'The body, or the payload for a gateway, is too large',
  429: 'Too many requests; see Retry-After',
  500: 'Server error',
  503: 'The database is unavailable at the moment; see Retry-After',
}

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds to wait before the same call can succeed',
    schema: { type: 'integer' },
  },
}

/** A JSON body of a request or a response. */
export function json(schema: object, example?: unknown, required = false) {
  return {
    description: 'JSON',
    ...(required && { required }),
    content: {
      'application/json': {
        schema,
        ...(example !== undefined && { examples: { example: { value: example } } }),
      },
    },
  }
}

/** The error responses with these statuses, whose body has this schema. */
export function errorResponses(schema: object, ...statuses: number[]) {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: MEANING[status]!,
        ...([409, 429, 503].includes(status) && { headers: RETRY_AFTER }),
        content: { 'application/json': { schema } },
      },
    ]),
  )
}

export const idParameter = (what: string, name = 'id') => ({
  name,
  in: 'path',
  required: true,
  description: what,
  schema: { type: 'string' },
})

/** The query of a list. */
export const PAGE = [
  {
    name: 'cursor',
    in: 'query',
    required: false,
    description: '`nextCursor` of the page before',
    schema: { type: 'string' },
  },
  {
    name: 'limit',
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
  },
]

/** A response with a JSON body. */
export function response(description: string, schema: z.ZodType, example: unknown) {
  return { ...json(z.toJSONSchema(schema, { io: 'output' }), example), description }
}

/** The schema of what a caller sends, before defaults and trimming. */
export function input(schema: z.ZodType) {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
}
