import { HTTP_STATUS } from '@pigeonhole/client/error-codes'
import { z } from 'zod'

const message = z.string().meta({ description: 'What was wrong, what is allowed and what to do.' })
const reason = z.string().optional().meta({ description: 'Distinguishes errors that share a code.' })
const fieldErrors = z.record(z.string(), z.array(z.string())).optional()

/** Error envelope of endpoints, which `errorResponse` of endpoint.ts creates. */
export const endpointError = z
  .looseObject({
    error: z.looseObject({
      code: z.enum(Object.keys(HTTP_STATUS)).exclude(['QUOTA_EXCEEDED']),
      message,
      fieldErrors,
      reason,
    }),
    requestId: z
      .string()
      .meta({ description: 'Also in X-Request-Id. Operators use it to find the request in the logs.' }),
  })
  .meta({ id: 'Error' })

/** Error envelope of tRPC, which `errorFormatter` of init.ts creates. */
export const procedureError = z
  .looseObject({
    error: z.looseObject({
      message,
      code: z.int().meta({ description: "tRPC's JSON-RPC code. Programs should read `data.code`." }),
      data: z.looseObject({
        code: z.string(),
        httpStatus: z.int(),
        path: z.string().optional(),
        requestId: z
          .string()
          .optional()
          .meta({ description: 'Operators use it to find the request in the logs.' }),
        fieldErrors,
        reason,
        missingParts: z.array(z.int()).optional(),
        retryAfterSeconds: z.int().optional(),
      }),
    }),
  })
  .meta({ id: 'ProcedureError' })

const MEANING: Record<number, string> = {
  400: 'The input is invalid',
  401: 'The credential is missing, unknown, expired or revoked',
  403: 'The scopes of this push token do not allow this target, or the user is not an administrator',
  404: 'User, token, message, webhook or delivery not found',
  409: 'The state does not allow this call: it already exists or is completed; or the Idempotency-Key was used with another body, or its first request is still running',
  413: 'The body, or the payload for a gateway, is too large',
  429: 'Too many requests; see Retry-After',
  500: 'Server error',
  503: 'The database is unavailable; see Retry-After',
}

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds to wait before retrying',
    schema: { type: 'integer' as const },
  },
}

/** Returns the error responses with these statuses, whose body has this schema. */
export function errorResponses(schema: z.ZodType, statuses: number[]) {
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
