import type { z } from 'zod'
import { listAuditInput, listAuditOutput } from '../audit-trail.ts'
import {
  createUserInput,
  deletedUserOutput,
  listUsersInput,
  listUsersOutput,
  managedUserOutput,
  updateUserInput,
} from '../auth/user-administration-schema.ts'
import { findingsOutput } from '../doctor/finding.ts'
import {
  broadcastsOutput,
  createTokenInput,
  createTokenOutput,
  listAllTokensInput,
  listAllTokensOutput,
  pageInput,
} from '../push/schema.ts'
import {
  createWebhookInput,
  createWebhookOutput,
  DELIVERY_STATUSES,
  deliveryOutput,
  listDeliveriesOutput,
  listWebhooksOutput,
  updateWebhookInput,
  webhookOutput,
} from '../webhooks/schema.ts'
import { healthOutput } from './admin/health.ts'
import { EXAMPLES } from './openapi-examples.ts'
import { ERROR, errorResponses, idParameter, input, json, PAGE, response } from './openapi-responses.ts'

const security = [{ adminSecret: [] }, { session: [] }]
const errors = (...more: number[]) => errorResponses(ERROR, 401, 403, 429, 500, 503, ...more)
/** The query of a list as the document has it. */
function queryParameters(schema: z.ZodType) {
  const { properties } = input(schema) as { properties: Record<string, object> }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }))
}

const USER_ID = idParameter('The id of the user.')
const WEBHOOK_ID = idParameter('The id from creation or the list.')

const PUSH_TOKEN_ID = idParameter('The id from creation or the list.')
const BROADCAST_ID = idParameter('The id from the response of the send, or from the list.')

/** What is below /api/admin. */
export function adminPaths() {
  return {
    '/api/admin/users': {
      get: {
        operationId: 'listUsers',
        summary: 'Users, newest first.',
        security,
        parameters: [...queryParameters(listUsersInput)],
        responses: { 200: response('A page', listUsersOutput, EXAMPLES.users), ...errors(400) },
      },
      post: {
        operationId: 'createUser',
        summary: 'Creates a user.',
        security,
        requestBody: json(input(createUserInput), EXAMPLES.createUser, true),
        responses: {
          201: response('The user', managedUserOutput, EXAMPLES.user),
          ...errors(400, 409, 413),
        },
      },
    },
    '/api/admin/users/{id}': {
      get: {
        operationId: 'getUser',
        summary: 'A user.',
        security,
        parameters: [USER_ID],
        responses: { 200: response('The user', managedUserOutput, EXAMPLES.user), ...errors(404) },
      },
      patch: {
        operationId: 'updateUser',
        summary: 'Changes a user. `disabled` and a new password end all sessions.',
        security,
        parameters: [USER_ID],
        requestBody: json(input(updateUserInput), { disabled: true }, true),
        responses: {
          200: response('The user', managedUserOutput, EXAMPLES.user),
          ...errors(400, 404, 409, 413),
        },
      },
      delete: {
        operationId: 'deleteUser',
        summary: 'Deletes the account of a user with everything in it.',
        security,
        parameters: [USER_ID],
        responses: {
          202: response('It is closed; files are being removed', deletedUserOutput, EXAMPLES.deletedUser),
          ...errors(404, 409),
        },
      },
    },
    '/api/admin/audit': {
      get: {
        operationId: 'listAudit',
        summary: 'The audit log, newest first.',
        security,
        parameters: [...queryParameters(listAuditInput)],
        responses: { 200: response('A page', listAuditOutput, EXAMPLES.audit), ...errors(400) },
      },
    },
    '/api/admin/push-tokens': {
      get: {
        operationId: 'listAllPushTokens',
        summary: 'The push tokens of all users or of one, newest first, without the raw tokens.',
        security,
        parameters: [...queryParameters(listAllTokensInput)],
        responses: {
          200: response('A page', listAllTokensOutput, EXAMPLES.allTokens),
          ...errors(400),
        },
      },
      post: {
        operationId: 'createPushTokenAsAdmin',
        summary: 'Creates a push token. Only this response contains the raw token.',
        security,
        requestBody: json(input(createTokenInput), EXAMPLES.createToken, true),
        responses: {
          201: response('The token', createTokenOutput, EXAMPLES.createdToken),
          ...errors(400, 404, 413),
        },
      },
    },
    '/api/admin/push-tokens/{id}': {
      delete: {
        operationId: 'revokePushTokenAsAdmin',
        summary: 'Revokes a push token, and cancels what it has unsent. Idempotent.',
        security,
        parameters: [PUSH_TOKEN_ID],
        responses: { 204: { description: 'Revoked' }, ...errors(404) },
      },
    },
    '/api/admin/broadcasts': {
      get: {
        operationId: 'listBroadcasts',
        summary: 'Broadcasts and scheduled messages of all push tokens, newest first.',
        security,
        parameters: [...queryParameters(pageInput)],
        responses: { 200: response('A page', broadcastsOutput, EXAMPLES.broadcasts), ...errors(400) },
      },
    },
    '/api/admin/broadcasts/{id}': {
      delete: {
        operationId: 'cancelBroadcast',
        summary: 'Cancels what of a message has not been handed to a gateway. Idempotent.',
        security,
        parameters: [BROADCAST_ID],
        responses: {
          204: { description: 'Nothing more is sent; the status is now `cancelled`' },
          ...errors(404, 409),
        },
      },
    },
    '/api/admin/health': {
      get: {
        operationId: 'getHealth',
        summary: 'How the replica that answers is, and what waits in the database.',
        security,
        responses: { 200: response('The state', healthOutput, EXAMPLES.health), ...errors() },
      },
    },
    '/api/admin/doctor': {
      get: {
        operationId: 'examineQuickly',
        summary: 'What `npm run doctor` finds without writing anything or sending a push.',
        security,
        responses: { 200: response('The findings', findingsOutput, EXAMPLES.findings), ...errors(400) },
      },
      post: {
        operationId: 'examine',
        summary: 'Runs `npm run doctor`: with throwaway objects, and pushes to devices that cannot exist.',
        security,
        responses: { 200: response('The findings', findingsOutput, EXAMPLES.findings), ...errors(400) },
      },
    },
    '/api/admin/webhooks': {
      post: {
        operationId: 'createWebhook',
        summary: 'Subscribes a URL to events. Only this response contains the secret.',
        security,
        requestBody: json(input(createWebhookInput), EXAMPLES.createWebhook, true),
        responses: {
          201: response('The webhook', createWebhookOutput, EXAMPLES.createdWebhook),
          ...errors(400, 409, 413),
        },
      },
      get: {
        operationId: 'listWebhooks',
        summary: 'All webhooks, without their secrets.',
        security,
        responses: { 200: response('The webhooks', listWebhooksOutput, EXAMPLES.webhooks), ...errors() },
      },
    },
    '/api/admin/webhooks/{id}': {
      get: {
        operationId: 'getWebhook',
        summary: 'A webhook.',
        security,
        parameters: [WEBHOOK_ID],
        responses: { 200: response('The webhook', webhookOutput, EXAMPLES.webhook), ...errors(404) },
      },
      patch: {
        operationId: 'updateWebhook',
        summary: 'Changes a webhook. Activating it again also ends what a 410 began.',
        security,
        parameters: [WEBHOOK_ID],
        requestBody: json(input(updateWebhookInput), { active: true }, true),
        responses: {
          200: response('The webhook', webhookOutput, EXAMPLES.webhook),
          ...errors(400, 404, 413),
        },
      },
      delete: {
        operationId: 'deleteWebhook',
        summary: 'Deletes a webhook and what it still had to get.',
        security,
        parameters: [WEBHOOK_ID],
        responses: { 204: { description: 'Deleted' }, ...errors(404) },
      },
    },
    '/api/admin/webhooks/{id}/deliveries': {
      get: {
        operationId: 'listWebhookDeliveries',
        summary: 'The deliveries of a webhook, newest first.',
        security,
        parameters: [
          WEBHOOK_ID,
          { name: 'status', in: 'query', required: false, schema: { enum: DELIVERY_STATUSES } },
          ...PAGE,
        ],
        responses: {
          200: response('A page', listDeliveriesOutput, EXAMPLES.deliveries),
          ...errors(400, 404),
        },
      },
    },
    '/api/admin/webhooks/{id}/deliveries/{deliveryId}/redeliver': {
      post: {
        operationId: 'redeliverWebhook',
        summary: 'Delivers an event again, under the same id.',
        security,
        parameters: [WEBHOOK_ID, idParameter('The id of the delivery: its webhook-id.', 'deliveryId')],
        responses: {
          202: response('It is due now', deliveryOutput, EXAMPLES.delivery),
          ...errors(404, 409),
        },
      },
    },
  }
}
