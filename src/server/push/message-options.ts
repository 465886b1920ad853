import { z } from 'zod'
import { nonBlankText, text } from '../text.ts'
import { canonicalLocale } from './locale.ts'
import { androidOverlay, apnsOverlay } from './overlays.ts'

/** Far above the gateways' 4096 bytes, which are checked for each gateway. */
export const MAX_TEXT = 262_144
export const MAX_TRANSLATIONS = 100

const inAnyCase = (text: string) => text.replace(/[a-z]/g, (l) => `[${l}${l.toUpperCase()}]`)
/** Of http also the forms that browsers mend: `https:\me@host`. */
const USER_INFO = `(${inAnyCase('http')}[sS]?:[/\\\\]*|[^:]+://)[^/\\\\?#]*@`
const HTTP_URL = '[hH][tT][tT][pP][sS]?://[^\\s\\x00]+$'

export const imageUrl = text(1, 2048)
  .refine((v) => new RegExp(`^${HTTP_URL}`).test(v) && URL.canParse(v), 'must be an http(s) URL')
  .refine(
    (v) => !new RegExp(`^${USER_INFO}`).test(v),
    'must not have a user name or password: everyone who gets the push could read them',
  )
  .meta({
    format: 'iri',
    pattern: `^(?!${USER_INFO})${HTTP_URL}`,
    description: 'On iOS it stands beside `aps` under this name.',
  })

/**
 * Schemes that run what they carry (`javascript`, `data`), read this device (`file`, `content`), name another app's
 * inside (`intent`) or install and configure something. All others may be an app's own.
 */
const DANGEROUS_SCHEMES = [
  'about',
  'afp',
  'android-app',
  'app-prefs',
  'blob',
  'chrome',
  'content',
  'data',
  'edge',
  'feed',
  'file',
  'filesystem',
  'hcp',
  'intent',
  'itms-services',
  'jar',
  'javascript',
  'mk',
  'nfs',
  'opera',
  'prefs',
  'res',
  'resource',
  'search-ms',
  'shell',
  'shortcuts',
  'smb',
  'ssh',
  'telnet',
  'vbscript',
  'view-source',
  'vnc',
  'vscode',
  'wtai',
]
/** Windows' own, like `ms-msdt`, and what belongs to a browser's extensions. */
const DANGEROUS_FAMILIES = [`${inAnyCase('ms-')}[^:]*`, `[^:]*${inAnyCase('-extension')}`]
const DANGEROUS = [...DANGEROUS_SCHEMES.map(inAnyCase), ...DANGEROUS_FAMILIES].join('|')
const LINK = `^(?!(${DANGEROUS}):)(?!${USER_INFO})[a-zA-Z][a-zA-Z0-9+.-]*:[^\\s\\x00]+$`

const link = text(1, 2048)
  .refine(
    (v) => new RegExp(LINK).test(v) && URL.canParse(v),
    'must be an absolute URL without user name, like https://example.com/orders/42 or myapp://orders/42, of no scheme that runs or reads something on the device',
  )
  .meta({ pattern: LINK, description: 'In the payload of all platforms under this name; opened on tap.' })

const translation = z.strictObject({
  title: nonBlankText(MAX_TEXT),
  body: nonBlankText(MAX_TEXT),
  subtitle: nonBlankText(MAX_TEXT).optional(),
})

/** The form of a language tag; `canonicalLocale` knows more. */
const LOCALE_FORM = '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$'

const translations = z
  .record(z.string(), translation)
  .superRefine((given, context) => {
    const tags = Object.keys(given)
    if (tags.length > MAX_TRANSLATIONS)
      return context.addIssue({ code: 'custom', message: `must have at most ${MAX_TRANSLATIONS} languages` })
    const seen = new Set<string>()
    for (const tag of tags) {
      const canonical = new RegExp(LOCALE_FORM).test(tag) ? canonicalLocale(tag) : null
      const fault = canonical === null ? 'is no language tag (BCP 47), like de or pt-BR' : undefined
      const twice = canonical !== null && seen.has(canonical) ? `means ${canonical} a second time` : undefined
      if (fault ?? twice) context.addIssue({ code: 'custom', path: [tag], message: (fault ?? twice)! })
      if (canonical !== null) seen.add(canonical)
    }
  })
  .meta({
    maxProperties: MAX_TRANSLATIONS,
    propertyNames: { pattern: LOCALE_FORM },
    description:
      "By language tag (BCP 47). A device gets the one of its `locale`, else of the locale's language, else `title` and `body`.",
  })

/** What a push may have besides its text and data. */
export const messageOptions = {
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
  apns: apnsOverlay.optional(),
  android: androidOverlay.optional(),
}

/** What shows, sounds or is tapped: a silent push has none of it. */
export const VISIBLE_FIELDS = [
  'title',
  'body',
  'badge',
  'sound',
  'imageUrl',
  'subtitle',
  'threadId',
  'interruptionLevel',
  'relevanceScore',
  'mutableContent',
  'actionCategory',
  'androidChannelId',
  'link',
  'translations',
] as const
