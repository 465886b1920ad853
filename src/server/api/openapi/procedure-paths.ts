import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { API_KEY_SCOPES } from '../../domain/accounts/schema.ts'
import type { ProcedureMeta } from '../trpc/init.ts'
import { appRouter } from '../trpc/router.ts'
import { errorResponses, procedureError } from './error-responses.ts'

type Procedure = {
  type: 'query' | 'mutation' | 'subscription'
  inputs: z.ZodType[]
  output: z.ZodType
  meta?: ProcedureMeta
}

// At run time, the record is flat, with names like `upload.status`.
const PROCEDURES = Object.entries(appRouter._def.procedures as unknown as Record<string, { _def: Procedure }>)

const ERRORS = [400, 401, 403, 404, 413, 429, 500, 503]

/** Returns every procedure as a plain HTTP call: queries are GET, mutations are POST. */
export const procedurePaths = () =>
  Object.fromEntries(
    PROCEDURES.map(([name, { _def }]) => [
      `/api/trpc/${name}`,
      { [_def.type === 'query' ? 'get' : 'post']: toOpenApi(name, _def) },
    ]),
  )

function toOpenApi(
  name: string,
  { type, inputs: [input], output, meta }: Procedure,
): ZodOpenApiOperationObject {
  return {
    operationId: name,
    tags: [name.slice(0, name.indexOf('.'))],
    summary: meta?.summary,
    security: meta?.public ? [] : meta?.scope ? scopedSecurity(meta.scope) : [session],
    ...(meta?.scope && !meta.public && { description: scopeText(meta.scope) }),
    ...(input && type === 'query' && { parameters: [queryParameter(name, input)] }),
    ...(input &&
      type === 'mutation' && {
        requestBody: { required: true, content: json(input.meta({ id: inputId(name) })) },
      }),
    responses: {
      200: { description: 'OK', content: json(z.object({ result: z.object({ data: output }) })) },
      ...errorResponses(procedureError, ERRORS),
    },
  }
}

const session = { session: [] }

/** Credentials of a procedure with a scope. API keys do not have all scopes. */
const scopedSecurity = (scope: string): Record<string, string[]>[] => [
  session,
  ...(isApiKeyScope(scope) ? [{ apiKey: [] }] : []),
  { userToken: [] },
]

const scopeText = (scope: string) =>
  `${isApiKeyScope(scope) ? 'API keys and user tokens' : 'User tokens'} need the scope \`${scope}\`.`

const isApiKeyScope = (scope: string) => (API_KEY_SCOPES as readonly string[]).includes(scope)

const json = (schema: z.ZodType) => ({ 'application/json': { schema } })

/**
 * JSON in a string, because many generators serialize an object as `input[limit]=1`, or ignore `content`. The type of
 * the object is a component.
 */
const queryParameter = (name: string, input: z.ZodType) => ({
  name: 'input',
  in: 'query' as const,
  description: `A \`${inputId(name)}\` as JSON text. Generated clients URL-encode it.`,
  required: !input.safeParse(undefined).success,
  schema: {
    type: 'string' as const,
    contentMediaType: 'application/json',
    contentSchema: { $ref: `#/components/schemas/${inputId(name)}` },
  },
})

/** Returns `FilesListInput` for `files.list`. */
const inputId = (name: string) => `${name.replace(/(?:^|\.)(.)/g, (_, letter) => letter.toUpperCase())}Input`

/** Input schemas of queries by component name. */
export const QUERY_INPUTS = Object.fromEntries(
  PROCEDURES.flatMap(([name, { _def }]) => {
    const [input] = _def.inputs
    return input && _def.type === 'query'
      ? [[inputId(name), input.meta({ id: inputId(name), unusedIO: 'input' })]]
      : []
  }),
)
