import { AppError } from '../errors.ts'
import { lookUpLocale } from './locale.ts'
import type { Gateways } from './message.ts'
import type { NewMessage, Notification, Platform, Prepared, Recipient } from './ports.ts'
import { PLATFORMS } from './upstream.ts'

export type PreparedMessage = {
  /** The message in the form of the device's gateway and in its language; made on first use, then kept. */
  for(device: Pick<Recipient, 'platform' | 'locale'>): Prepared
  /** How far the longest translation is above the gateway's limit; 0: all fit. */
  bytesOver(platform: Platform): { bytes: number; language?: string }
}

/** A message in the gateways' forms. Each language is encoded once for each gateway, not for each device. */
export function prepareMessage(gateways: Gateways, message: NewMessage): PreparedMessage {
  const notification = notificationOf(message)
  const translations = new Map(Object.entries(message.content.translations ?? {}))
  const tags = new Set(translations.keys())
  /** By platform and language; undefined: the message's own. */
  const made = new Map<Platform, Map<string | undefined, Prepared>>(PLATFORMS.map((p) => [p, new Map()]))
  /** By locale: the language that its devices get. */
  const languages = new Map<string, string | undefined>()

  function inLanguage(platform: Platform, language: string | undefined): Prepared {
    const known = made.get(platform)!
    let prepared = known.get(language)
    if (!prepared) {
      const translation = language === undefined ? undefined : translations.get(language)
      prepared = gateways[platform].prepare({ ...notification, ...translation })
      known.set(language, prepared)
    }
    return prepared
  }

  function languageOf(locale: string | null | undefined): string | undefined {
    if (!locale || tags.size === 0) return undefined
    if (!languages.has(locale)) languages.set(locale, lookUpLocale(locale, tags))
    return languages.get(locale)
  }

  return {
    for: ({ platform, locale }) => inLanguage(platform, languageOf(locale)),

    bytesOver(platform) {
      let longest: { bytes: number; language?: string } = { bytes: inLanguage(platform, undefined).bytesOver }
      for (const language of tags) {
        const bytes = inLanguage(platform, language).bytesOver
        if (bytes > longest.bytes) longest = { bytes, language }
      }
      return longest
    },
  }
}

/** Without a collapse id the message's own id is used, so that a repeated push replaces the first on the phone. */
export function notificationOf(message: NewMessage): Notification {
  const { ttlSeconds: _, translations: __, data, collapseId, ...content } = message.content
  return {
    ...content,
    messageId: message.id,
    data: data ?? {},
    collapseId: collapseId ?? message.id,
    expiresAt: message.expiresAt,
  }
}

/** Each with the bytes that it takes. */
const GATEWAY_NAMES: Record<Platform, string> = {
  ios: 'APNs (4096)',
  android: 'FCM (4096)',
  web: 'web push (3993)',
}

/**
 * Checks the limits of the gateways that the audience needs; of APNs and FCM for a broadcast or a user without devices,
 * and of web push if anybody has registered a browser.
 * @throws AppError PAYLOAD_TOO_LARGE
 */
export async function rejectOversized(
  prepared: PreparedMessage,
  audience: Recipient[] | null,
  hasBrowsers: () => Promise<boolean>,
): Promise<void> {
  const over: string[] = []
  for (const platform of PLATFORMS) {
    if (audience?.length && !audience.some((recipient) => recipient.platform === platform)) continue
    const { bytes, language } = prepared.bytesOver(platform)
    if (bytes === 0 || (platform === 'web' && !audience?.length && !(await hasBrowsers()))) continue
    over.push(`${bytes} bytes over for ${GATEWAY_NAMES[platform]}${language ? ` in ${language}` : ''}`)
  }
  if (over.length === 0) return
  throw new AppError(
    'PAYLOAD_TOO_LARGE',
    `The notification is larger than the gateways take: ${over.join(', ')}. Nothing was sent. Shorten title, body or data.`,
  )
}
