import { z } from 'zod'
import { nonBlankText, text } from '../../../kernel/text.ts'
import { whole } from '../../../kernel/validation.ts'
import { canonicalLocale } from '../devices/locale.ts'
import { jsonObject, rejectReservedNames, UNRESERVED_NAMES } from './extra-data.ts'

/** Far above the gateways' limits (4096 bytes), which are checked later for each gateway. */
export const MAX_TEXT = 262_144
const MAX_TRANSLATIONS = 100

const inAnyCase = (text: string) => text.replace(/[a-z]/g, (l) => `[${l}${l.toUpperCase()}]`)
/** Includes http URLs that browsers repair, like `https:\me@host`. */
const USER_INFO = `(${inAnyCase('http')}[sS]?:[/\\\\]*|[^:]+://)[^/\\\\?#]*@`
const HTTP_URL = '[hH][tT][tT][pP][sS]?://[^\\s\\x00]+$'

const imageUrl = text(1, 2048)
  .refine((v) => new RegExp(`^${HTTP_URL}`).test(v) && URL.canParse(v), 'must be an http(s) URL')
  .refine(
    (v) => !new RegExp(`^${USER_INFO}`).test(v),
    'must not have a user name or password, because everyone who gets the push could read them',
  )
  .meta({
    format: 'iri',
    pattern: `^(?!${USER_INFO})${HTTP_URL}`,
    description: 'On iOS, placed next to `aps` under this name.',
  })

/**
 * Schemes that execute their content (`javascript`, `data`), read from the device (`file`, `content`), open another
 * app's internals (`intent`), or install or configure something. Any other scheme can belong to an app.
 */
const DANGEROUS_SCHEMES = `about afp android-app app-prefs blob chrome content data edge feed file filesystem hcp
  intent itms-services jar javascript mk nfs opera prefs res resource search-ms shell shortcuts smb ssh telnet
  vbscript view-source vnc vscode wtai`
/** Windows' schemes, like `ms-msdt`, and those of browser extensions. */
const DANGEROUS_FAMILIES = [`${inAnyCase('ms-')}[^:]*`, `[^:]*${inAnyCase('-extension')}`]
const DANGEROUS = [...DANGEROUS_SCHEMES.split(/\s+/).map(inAnyCase), ...DANGEROUS_FAMILIES].join('|')
/**
 * Dialers run codes with `*` and `#` (MMI codes) without sending a call: `tel:*31#` hides the caller's number, others
 * forward calls or lock the SIM card. A second decoding could turn `%25` into their escapes.
 */
const DIAL_CODE = `(${['tel', 'telprompt', 'callto'].map(inAnyCase).join('|')}):[^\\x00]*([*#]|%2[aA35])`
const LINK = `^(?!(${DANGEROUS}):)(?!${DIAL_CODE})(?!${USER_INFO})[a-zA-Z][a-zA-Z0-9+.-]*:[^\\s\\x00]+$`

const link = text(1, 2048)
  .refine(
    (v) => new RegExp(LINK).test(v) && URL.canParse(v),
    'must be an absolute URL without a user name, like https://example.com/orders/42 or myapp://orders/42; its scheme must not run or read anything on the device, and phone numbers must not have * or #',
  )
  .meta({
    pattern: LINK,
    description: 'Opened on tap. On every platform, placed in the payload under this name.',
  })

const translation = z.strictObject({
  title: nonBlankText(MAX_TEXT),
  body: nonBlankText(MAX_TEXT),
  subtitle: nonBlankText(MAX_TEXT).optional(),
})

/** Format of a language tag; `canonicalLocale` checks more. */
const LOCALE_FORMAT = '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$'

const translations = z
  .record(z.string(), translation)
  .superRefine((given, context) => {
    const tags = Object.keys(given)
    if (tags.length > MAX_TRANSLATIONS)
      return context.addIssue(`must have at most ${MAX_TRANSLATIONS} languages`)
    const seen = new Set<string>()
    for (const tag of tags) {
      const canonical = new RegExp(LOCALE_FORMAT).test(tag) ? canonicalLocale(tag) : null
      const problem =
        canonical === null
          ? 'must be a language tag (BCP 47), like de or pt-BR'
          : seen.has(canonical) && `repeats ${canonical}: use each language once`
      if (problem) context.addIssue({ code: 'custom', path: [tag], message: problem })
      if (canonical !== null) seen.add(canonical)
    }
  })
  .meta({
    maxProperties: MAX_TRANSLATIONS,
    propertyNames: { pattern: LOCALE_FORMAT },
    description:
      'By language tag (BCP 47). A device gets the text for its `locale`, or else for its language, or else `title` and `body`.',
  })

/**
 * APNs request headers that callers can set. `apns-topic` selects the app (a wrong topic disables devices), and
 * `apns-id` and `authorization` differ for each request, so the service sets them.
 */
const APNS_HEADERS = ['apns-push-type', 'apns-priority', 'apns-expiration', 'apns-collapse-id'] as const
const SERVICE_HEADERS = ['apns-topic', 'apns-id', 'authorization']

const HEADER_VALUE = '^[\\x21-\\x7e]{1,64}$'
const headerValue = z
  .string({ error: 'must be a string' })
  .refine(
    (value) => new RegExp(HEADER_VALUE).test(value),
    'must have 1 to 64 printable ASCII characters without spaces',
  )
  .meta({ pattern: HEADER_VALUE })

const apnsHeaders = z
  .record(z.string(), headerValue)
  .superRefine((headers, context) => {
    for (const name of Object.keys(headers)) {
      if ((APNS_HEADERS as readonly string[]).includes(name)) continue
      const problem = SERVICE_HEADERS.includes(name.toLowerCase()) ? 'is set by the service' : 'is not known'
      const message = `${problem}; you can set ${APNS_HEADERS.join(', ')}`
      context.addIssue({ code: 'custom', path: [name], message })
    }
  })
  .meta({ propertyNames: { enum: APNS_HEADERS } })

/** Merged into the APNs payload and request headers. */
const apnsOverlay = z.strictObject({
  aps: jsonObject('{"target-content-id":"inbox"}')
    .meta({ description: 'Merged over `aps` as a JSON Merge Patch (RFC 7396).' })
    .optional(),
  headers: apnsHeaders.optional(),
})

const fcmData = z.record(z.string(), z.string({ error: 'must be a string' })).superRefine(rejectReservedNames)

/** FCM's AndroidConfig. FCM validates the other fields. */
const androidOverlay = jsonObject('{"direct_boot_ok":true}')
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
        propertyNames: UNRESERVED_NAMES,
      },
    },
    description:
      "FCM's AndroidConfig, merged over the built payload as a JSON Merge Patch (RFC 7396). Its `data` is added to `data`.",
  })

/** Options that the user can see or tap. A silent push has none of them. */
export const visibleOptions = {
  badge: whole(0, 2_147_483_647).optional(),
  sound: text(1, 200).optional(),
  imageUrl: imageUrl.optional(),
  subtitle: nonBlankText(MAX_TEXT).optional(),
  threadId: text(1, 200).optional(),
  interruptionLevel: z.enum(['passive', 'active', 'time-sensitive']).optional(),
  relevanceScore: z.number().min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1').optional(),
  mutableContent: z.boolean().optional(),
  actionCategory: text(1, 200).optional(),
  androidChannelId: text(1, 200).optional(),
  link: link.optional(),
  translations: translations.optional(),
}

/** Gateway fields that override the built payload. */
export const overlays = { apns: apnsOverlay.optional(), android: androidOverlay.optional() }
