import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Services } from '../container.ts'
import {
  createTokenInput,
  createTokenOutput,
  failuresOutput,
  listTokensOutput,
  messageOutput,
  messagesOutput,
  sendInput,
  topic,
} from '../push/schema.ts'
import { procedurePaths } from '../trpc/openapi-paths.ts'
import { adminPaths } from './openapi-admin.ts'
import { EXAMPLES } from './openapi-examples.ts'
import { ERROR, errorResponses, idParameter, input, json, PAGE, response } from './openapi-responses.ts'

const PUSH_TOKEN = [{ pushToken: [] }]
const ADMIN = [{ adminSecret: [] }]

const TOPIC_USER = [
  { name: 'topic', in: 'path', required: true, schema: z.toJSONSchema(topic) },
  { name: 'userId', in: 'path', required: true, schema: { type: 'string' } },
]

/** As it is sent, by base URL. Made once: anybody may ask for it, and it takes 50 ms and 0.7 MB. */
const documents = new Map<string, { bytes: Uint8Array<ArrayBuffer>; etag: string }>()

/** GET /api/openapi.json: every call, generated from the schemas that validate. 304 for whoever has it. */
export async function handleOpenapi(request: Request, services: Promise<Services>): Promise<Response> {
  const { baseUrl } = (await services).config
  const { bytes, etag } = documents.get(baseUrl) ?? makeDocument(baseUrl)
  const headers = { 'cache-control': 'public, max-age=300', etag }
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers })
  return new Response(bytes, { headers: { ...headers, 'content-type': 'application/json' } })
}

function makeDocument(baseUrl: string) {
  const bytes = new TextEncoder().encode(JSON.stringify(openapiDocument(baseUrl)))
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
  const document = { bytes, etag }
  documents.set(baseUrl, document)
  return document
}

/** OpenAPI 3.1, whose schemas are JSON Schema 2020-12 as zod writes it. */
export function openapiDocument(baseUrl: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pigeonhole',
      version: '1',
      description:
        'Every call over HTTP. What is below /api/trpc is also called with the typed client, @pigeonhole/client.',
    },
    servers: [{ url: baseUrl }],
    paths: {
      '/api/push/token': {
        post: {
          operationId: 'createPushToken',
          summary: 'Creates a push token. Only this response contains the raw token.',
          security: ADMIN,
          requestBody: json(input(createTokenInput), EXAMPLES.createToken, true),
          responses: {
            200: response('The token', createTokenOutput, EXAMPLES.createdToken),
            ...errorResponses(ERROR, 400, 401, 404, 413, 429, 500, 503),
          },
        },
        get: {
          operationId: 'listPushTokens',
          summary: "A user's push tokens, newest first, without the raw tokens.",
          security: ADMIN,
          parameters: [{ name: 'userId', in: 'query', required: true, schema: { type: 'string' } }],
          responses: {
            200: response('The tokens', listTokensOutput, EXAMPLES.listedTokens),
            ...errorResponses(ERROR, 400, 401, 429, 500, 503),
          },
        },
      },
      '/api/push/token/{id}': {
        delete: {
          operationId: 'revokePushToken',
          summary: 'Revokes a push token. Idempotent.',
          security: ADMIN,
          parameters: [idParameter('The id from creation or the list.')],
          responses: { 204: { description: 'Revoked' }, ...errorResponses(ERROR, 401, 404, 429, 500, 503) },
        },
      },
      '/api/push/send': {
        post: {
          operationId: 'sendPush',
          summary:
            "Sends to the token's owner, to `userId`, to `userIds`, to a `topic`, or with `all` to everybody; now or at `sendAt`.",
          security: PUSH_TOKEN,
          parameters: [
            {
              name: 'Idempotency-Key',
              in: 'header',
              required: false,
              description:
                'Repeating a key and body within 24 hours sends nothing and returns the first response.',
              schema: { type: 'string', minLength: 1, maxLength: 255 },
            },
          ],
          requestBody: json(input(sendInput), EXAMPLES.send, true),
          responses: {
            200: response('Sent to the gateways, or a dry run', messageOutput, EXAMPLES.sent),
            202: response(
              'Accepted: it runs in the background, or is scheduled',
              messageOutput,
              EXAMPLES.queued,
            ),
            ...errorResponses(ERROR, 400, 401, 403, 404, 409, 413, 429, 500, 503),
          },
        },
      },
      '/api/push/topics/{topic}/users/{userId}': {
        put: {
          operationId: 'subscribeUser',
          summary: 'Subscribes a user to a topic. Idempotent.',
          security: [...PUSH_TOKEN, ...ADMIN],
          parameters: TOPIC_USER,
          responses: {
            204: { description: 'The user is subscribed' },
            ...errorResponses(ERROR, 400, 401, 403, 404, 429, 500, 503),
          },
        },
        delete: {
          operationId: 'unsubscribeUser',
          summary: 'Ends the subscription of a user to a topic. Idempotent.',
          security: [...PUSH_TOKEN, ...ADMIN],
          parameters: TOPIC_USER,
          responses: {
            204: { description: 'The user is not subscribed' },
            ...errorResponses(ERROR, 400, 401, 403, 404, 429, 500, 503),
          },
        },
      },
      '/api/push/messages': {
        get: {
          operationId: 'listPushMessages',
          summary: 'What the push token has sent, newest first.',
          security: PUSH_TOKEN,
          parameters: PAGE,
          responses: {
            200: response('A page', messagesOutput, EXAMPLES.messages),
            ...errorResponses(ERROR, 400, 401, 500),
          },
        },
      },
      '/api/push/messages/{id}/failures': {
        get: {
          operationId: 'listPushFailures',
          summary: 'The devices that a message failed for: the first 10,000, for 7 days.',
          security: [...PUSH_TOKEN, ...ADMIN],
          parameters: [idParameter('The id from the response of a send.'), ...PAGE],
          responses: {
            200: response('A page', failuresOutput, EXAMPLES.failures),
            ...errorResponses(ERROR, 400, 401, 404, 429, 500),
          },
        },
      },
      '/api/push/messages/{id}': {
        get: {
          operationId: 'getPushMessage',
          summary: 'The progress of a message.',
          security: [...PUSH_TOKEN, ...ADMIN],
          parameters: [idParameter('The id from the response of a send.')],
          responses: {
            200: response('The message', messageOutput, EXAMPLES.sent),
            ...errorResponses(ERROR, 401, 404, 429, 500, 503),
          },
        },
        delete: {
          operationId: 'cancelPushMessage',
          summary: 'Cancels what of a message has not been handed to a gateway. Idempotent.',
          security: [...PUSH_TOKEN, ...ADMIN],
          parameters: [idParameter('The id from the response of a send.')],
          responses: {
            204: { description: 'Nothing more is sent; the status is now `cancelled`' },
            ...errorResponses(ERROR, 401, 404, 409, 429, 500),
          },
        },
      },
      '/api/health/live': {
        get: {
          operationId: 'live',
          summary: 'The process is alive.',
          security: [],
          responses: {
            200: json({ type: 'object', properties: { status: { const: 'live' } } }, EXAMPLES.live),
          },
        },
      },
      '/api/health/ready': {
        get: {
          operationId: 'ready',
          summary:
            'Whether this replica can serve; what is unavailable but not needed for that is listed as degraded.',
          security: [],
          responses: {
            200: json(READINESS, EXAMPLES.ready),
            503: json(READINESS, EXAMPLES.unavailable),
          },
        },
      },
      '/api/metrics': {
        get: {
          operationId: 'metrics',
          summary: "Prometheus' text format.",
          security: [{ metricsToken: [] }],
          responses: {
            200: { description: 'Metrics', content: { 'text/plain': { schema: { type: 'string' } } } },
            ...errorResponses(ERROR, 401, 429),
          },
        },
      },
      ...adminPaths(),
      ...procedurePaths(),
    },
    components: {
      securitySchemes: {
        session: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The token of session.create, a JWT of AUTH_JWT_ISSUER, or the cookie of a page; for the admin API of a user with the role admin',
        },
        apiKey: { type: 'http', scheme: 'bearer', description: 'A raw API key (pk_...)' },
        adminSecret: { type: 'http', scheme: 'bearer', description: 'PUSH_TOKEN_ADMIN_SECRET' },
        pushToken: { type: 'http', scheme: 'bearer', description: 'A raw push token (ph_...)' },
        metricsToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'METRICS_TOKEN, or else the admin secret',
        },
      },
    },
  }
}

const READINESS = {
  type: 'object',
  required: ['status', 'checks', 'degraded'],
  properties: {
    status: { enum: ['ready', 'unavailable', 'draining'] },
    checks: { type: 'object', additionalProperties: { enum: ['ok', 'failed'] } },
    degraded: {
      type: 'array',
      items: { enum: ['objectStore', 'apns', 'fcm'] },
      description: 'Failed checks of what this replica can serve without.',
    },
  },
}
