import { z } from 'zod'
import { RESERVED, reservedName } from './extra-data.ts'
import { jsonObject } from './json-object.ts'

// What callers lay over the payloads that we make, for whatever a gateway learns next.

/**
 * APNs' request headers that may be given. The others are ours: `apns-topic` decides whose devices a push is for (a
 * wrong one disables them), `apns-id` and `authorization` belong to each request.
 */
export const APNS_HEADERS = [
  'apns-push-type',
  'apns-priority',
  'apns-expiration',
  'apns-collapse-id',
] as const

const RESERVED_HEADERS = ['apns-topic', 'apns-id', 'authorization']

const headerValue = z
  .string({ error: 'must be a string' })
  .refine(
    (value) => /^[\x21-\x7e]{1,64}$/.test(value),
    'must have 1 to 64 printable ASCII characters without spaces',
  )
  .meta({ pattern: '^[\\x21-\\x7e]{1,64}$' })

const apnsHeaders = z
  .record(z.string(), headerValue)
  .superRefine((headers, context) => {
    for (const name of Object.keys(headers)) {
      if ((APNS_HEADERS as readonly string[]).includes(name)) continue
      const why = RESERVED_HEADERS.includes(name.toLowerCase()) ? 'is set by the service' : 'is not known'
      const message = `${why}; may be given: ${APNS_HEADERS.join(', ')}`
      context.addIssue({ code: 'custom', path: [name], message })
    }
  })
  .meta({ propertyNames: { enum: APNS_HEADERS } })

/** `aps`: laid over the payload's `aps`; `headers`: over the request's. */
export const apnsOverlay = z.strictObject({
  aps: jsonObject('{"target-content-id":"inbox"}')
    .meta({ description: 'Laid over `aps` as a JSON Merge Patch (RFC 7396).' })
    .optional(),
  headers: apnsHeaders.optional(),
})

const fcmData = z.record(z.string(), z.string({ error: 'must be a string' })).superRefine((data, context) => {
  for (const name of Object.keys(data)) {
    const message = reservedName(name)
    if (message) context.addIssue({ code: 'custom', path: [name], message })
  }
})

/** FCM's AndroidConfig; FCM checks the rest of it. */
export const androidOverlay = jsonObject('{"direct_boot_ok":true}')
  .superRefine(({ data, notification }, context) => {
    if (notification !== undefined && (typeof notification !== 'object' || Array.isArray(notification)))
      context.addIssue({ code: 'custom', path: ['notification'], message: 'must be a JSON object' })
    if (data === undefined) return
    for (const { path, message } of fcmData.safeParse(data).error?.issues ?? [])
      context.addIssue({ code: 'custom', path: ['data', ...path], message })
  })
  .meta({
    type: 'object',
    additionalProperties: true,
    properties: {
      notification: { type: ['object', 'null'] },
      data: {
        type: 'object',
        additionalProperties: { type: 'string' },
        propertyNames: { not: { pattern: RESERVED } },
      },
    },
    description:
      "FCM's AndroidConfig, laid over what we make as a JSON Merge Patch (RFC 7396); its `data` adds to `data`.",
  })
