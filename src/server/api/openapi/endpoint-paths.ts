import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import * as audit from '../http/admin/audit.ts'
import * as broadcasts from '../http/admin/broadcasts.ts'
import * as files from '../http/admin/files.ts'
import * as adminHealth from '../http/admin/health.ts'
import * as adminPushTokens from '../http/admin/push-tokens.ts'
import * as serverKeys from '../http/admin/server-keys.ts'
import * as userTokens from '../http/admin/user-tokens.ts'
import * as users from '../http/admin/users.ts'
import * as webhooks from '../http/admin/webhooks.ts'
import * as health from '../http/health.ts'
import * as metrics from '../http/metrics.ts'
import { errorStatuses, type Operation, type Responses } from '../http/operation.ts'
import * as messages from '../http/push-messages.ts'
import * as send from '../http/push-send.ts'
import * as pushTokens from '../http/push-tokens.ts'
import * as topics from '../http/push-topics.ts'
import { endpointError, errorResponses } from './error-responses.ts'

/** Everything that these modules export. Generated clients name their functions after the exports. */
const EXPORTS: [name: string, { operation: Operation }][] = [
  ...[pushTokens, send, topics, messages, health, metrics],
  ...[users, audit, adminPushTokens, broadcasts, adminHealth, webhooks, serverKeys, userTokens, files],
].flatMap((module) => Object.entries(module))

export const OPERATIONS = EXPORTS.map(([, { operation }]) => operation)

export function endpointPaths(): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {}
  for (const [name, { operation }] of EXPORTS)
    paths[operation.path] = { ...paths[operation.path], [operation.method]: toOpenApi(name, operation) }
  return paths
}

function toOpenApi(name: string, operation: Operation): ZodOpenApiOperationObject {
  const { summary, credentials, scope, params, query, headers, body, responses } = operation
  return {
    operationId: name,
    summary,
    ...(scope && { description: `Server keys need the scope \`${scope}\`.` }),
    security: credentials.map((credential) => ({ [credential]: [] })),
    ...((params || query || headers) && {
      requestParams: {
        ...(params && { path: z.object(params) }),
        ...(query && { query }),
        ...(headers && { header: headers }),
      },
    }),
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: { ...successResponses(responses), ...errorResponses(endpointError, errorStatuses(operation)) },
  }
}

const successResponses = (responses: Responses) =>
  Object.fromEntries(
    Object.entries(responses).map(([status, { description, schema, type = 'application/json' }]) => [
      status,
      { description, ...(schema && { content: { [type]: { schema } } }) },
    ]),
  )
