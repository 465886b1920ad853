import { jsonObject, MAX_DEPTH } from './json-object.ts'

/** Names that FCM reserves (https://firebase.google.com/docs/cloud-messaging/customize-messages/set-message-type). */
const FCM_RESERVED = /^(from$|message_type$|google|gcm)/
/** For the JSON Schema: what `reservedName` refuses, so FCM's names and APNs' `aps`. */
export const RESERVED = '^(aps$|from$|message_type$|google|gcm)'

/** Why a gateway would refuse or overwrite an entry of `data` with this name; undefined: it would not. */
export function reservedName(name: string): string | undefined {
  if (name === 'aps') return 'is reserved by APNs; use another name'
  if (FCM_RESERVED.test(name))
    return 'is reserved by FCM (from, message_type, google*, gcm*); use another name'
  return undefined
}

/** The caller's extra payload. */
export const extraData = jsonObject('{"orderId":"42"}')
  .superRefine((data, context) => {
    for (const name of Object.keys(data)) {
      const message = reservedName(name)
      if (message) context.addIssue({ code: 'custom', path: [name], message })
    }
  })
  .meta({
    type: 'object',
    additionalProperties: true,
    propertyNames: { not: { pattern: RESERVED } },
    description: `Any JSON up to ${MAX_DEPTH} levels deep, without NUL and unpaired surrogates. For FCM every value becomes a string.`,
  })
