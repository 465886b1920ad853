import { z } from 'zod'
import { errorResponses, json } from '../http/openapi-responses.ts'
import { PROCEDURE_SUMMARIES, type ProcedureName } from './procedure-summaries.ts'
import { appRouter } from './router.ts'

const CREDENTIALS = [{ session: [] }]

/** tRPC's error envelope, as `errorFormatter` in init.ts fills it. */
const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'code', 'data'],
      properties: {
        message: { type: 'string', description: 'What was wrong, what is allowed, what to do.' },
        code: { type: 'integer', description: "tRPC's JSON-RPC code; `data.code` is for programs." },
        data: {
          type: 'object',
          required: ['code', 'httpStatus'],
          properties: {
            code: { type: 'string' },
            httpStatus: { type: 'integer' },
            path: { type: 'string' },
            requestId: { type: 'string', description: 'Finds the log lines of the request.' },
            fieldErrors: {
              type: 'object',
              additionalProperties: { type: 'array', items: { type: 'string' } },
            },
            missingParts: { type: 'array', items: { type: 'integer' } },
            retryAfterSeconds: { type: 'integer' },
          },
        },
      },
    },
  },
}

type Procedure = {
  type: 'query' | 'mutation' | 'subscription'
  inputs: z.ZodType[]
  output: z.ZodType
  meta?: { public?: true; apiKeyScope?: string }
}

/** Every procedure as the plain HTTP call that it is: a query is a GET, a mutation a POST. */
export function procedurePaths(): Record<`/api/trpc/${ProcedureName}`, object> {
  // At run time the record is flat, with names like `upload.status`.
  const procedures = appRouter._def.procedures as unknown as Record<string, { _def: Procedure }>
  const paths = Object.keys(PROCEDURE_SUMMARIES).map((name) => {
    return [`/api/trpc/${name}`, operation(name as ProcedureName, procedures[name]!._def)]
  })
  return Object.fromEntries(paths)
}

function operation(name: ProcedureName, { type, inputs, output, meta }: Procedure) {
  const common = {
    operationId: name,
    tags: [name.slice(0, name.indexOf('.'))],
    summary: PROCEDURE_SUMMARIES[name],
    security: meta?.public ? [] : meta?.apiKeyScope ? [...CREDENTIALS, { apiKey: [] }] : CREDENTIALS,
    ...(meta?.apiKeyScope && { description: `Scope of an API key: \`${meta.apiKeyScope}\`.` }),
    responses: {
      200: { description: 'OK', content: { 'application/json': { schema: result(output) } } },
      ...errorResponses(ERROR, 400, 401, 403, 404, 413, 429, 500, 503),
    },
  }
  const [input] = inputs
  if (!input) return { [type === 'query' ? 'get' : 'post']: common }
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  if (type === 'mutation') return { post: { ...common, requestBody: json(schema, undefined, true) } }
  const parameter = {
    name: 'input',
    in: 'query',
    description: 'JSON, URL-encoded',
    required: !input.safeParse(undefined).success,
    content: { 'application/json': { schema } },
  }
  return { get: { ...common, parameters: [parameter] } }
}

const result = (output: z.ZodType) =>
  z.toJSONSchema(z.object({ result: z.object({ data: output }) }), { io: 'output' })
