import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import type { DeliveryType } from '../../domain/webhooks/schema.ts'
import { WEBHOOK_EVENTS } from './webhook-events.ts'

const SUMMARY: Record<DeliveryType, string> = {
  'file.ready': 'An upload was confirmed or completed, or a held file was accepted.',
  'file.held': 'An upload was confirmed or completed, and waits for a verdict.',
  'file.rejected': 'The content was not as declared, or a held file was rejected.',
  'file.expired': 'An upload expired.',
  'file.deleted': 'A ready or held file was deleted.',
  'push.completed': 'A push was handed to the gateways.',
  'device.removed': 'A device was deleted.',
  'device.disabled': "A gateway's response disabled a device.",
  'webhook.test': 'An administrator sent a test. Every webhook can get it, whatever it subscribes to.',
}

/** Headers of a delivery, which signature.ts writes. */
const headers = z.object({
  'webhook-id': z
    .string()
    .meta({ description: 'ID of the event, the same in each delivery. Handle each ID once.' }),
  'webhook-timestamp': z.string().regex(/^\d+$/).meta({
    description: 'Time of the delivery in seconds since 1970. Reject deliveries older than 5 minutes.',
  }),
  'webhook-signature': z.string().meta({
    description:
      '`v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`. The key is the secret without `whsec_`, decoded from base64. Several signatures are separated by spaces, and at least one must match.',
  }),
})

/** Returns the webhook deliveries, by event. */
export const webhookRequests = () =>
  Object.fromEntries(
    Object.entries(WEBHOOK_EVENTS).map(([type, body]) => [
      type,
      {
        post: {
          operationId: `on${type.replace(/(?:^|\.)(.)/g, (_, letter: string) => letter.toUpperCase())}`,
          tags: ['webhooks'],
          summary: SUMMARY[type as DeliveryType],
          description: 'Signed according to Standard Webhooks (https://www.standardwebhooks.com).',
          security: [],
          requestParams: { header: headers },
          requestBody: { required: true, content: { 'application/json': { schema: body } } },
          responses: {
            '2XX': { description: 'Handled. Respond within 10 seconds.' },
            410: { description: 'Ends the subscription.' },
            default: {
              description: 'A failure; redirects are not followed. The delivery is retried for 72 hours.',
            },
          },
        },
      },
    ]),
  ) satisfies ZodOpenApiPathsObject
