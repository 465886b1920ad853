import { formatCount } from '@pigeonhole/client/format'
import { AppError } from '../../../kernel/errors.ts'
import type { Gateway, Platform, Prepared, Recipient } from '../delivery/gateway.ts'
import type { PushApps } from '../delivery/push-apps.ts'
import { PLATFORMS } from '../delivery/upstream.ts'
import { lookUpLocale } from '../devices/locale.ts'
import type { NewMessage } from './message.ts'

export type PreparedMessage = {
  /** Returns the message for the device's gateway and language; encodes it on first use. */
  for(device: Pick<Recipient, 'app' | 'platform' | 'locale'>): Prepared
  /** Returns how many bytes the longest translation is above the gateway's limit; 0 if all fit. */
  bytesOver(platform: Platform): { bytes: number; language?: string }
}

/** Encodes a message once for each gateway and language, not for each device. */
export function prepareMessage(apps: PushApps, message: NewMessage): PreparedMessage {
  const { id: messageId, expiresAt } = message
  const { ttlSeconds: _, apps: __, translations = {}, data = {}, ...content } = message.content
  // With the same collapse ID, a repeated push replaces the first one on the phone.
  const collapseId = content.collapseId ?? messageId
  const notification = { ...content, data, messageId, collapseId, expiresAt }
  const tags = new Set(Object.keys(translations))
  /** By gateway and language; the language is undefined for the default text. */
  const encoded = new Map<Gateway, Map<string | undefined, Prepared>>()
  /** Languages of devices by their locale. */
  const languages = new Map<string, string | undefined>()

  function inLanguage(gateway: Gateway, language: string | undefined): Prepared {
    const byLanguage = encoded.get(gateway) ?? new Map<string | undefined, Prepared>()
    let prepared = byLanguage.get(language)
    if (!prepared) {
      const translation = language === undefined ? undefined : translations[language]
      prepared = gateway.prepare({ ...notification, ...translation })
      encoded.set(gateway, byLanguage.set(language, prepared))
    }
    return prepared
  }

  function languageOf(locale: string | null | undefined): string | undefined {
    if (!locale || tags.size === 0) return undefined
    if (!languages.has(locale)) languages.set(locale, lookUpLocale(locale, tags))
    return languages.get(locale)
  }

  return {
    for: ({ app, platform, locale }) => inLanguage(apps.gatewaysOf(app)[platform], languageOf(locale)),

    bytesOver(platform) {
      const gateway = apps.encoderOf(platform)
      let longest: { bytes: number; language?: string } = { bytes: inLanguage(gateway, undefined).bytesOver }
      for (const language of tags) {
        const bytes = inLanguage(gateway, language).bytesOver
        if (bytes > longest.bytes) longest = { bytes, language }
      }
      return longest
    },
  }
}

/** Gateways with their limits in bytes. */
const GATEWAY_NAMES: Record<Platform, string> = {
  ios: 'APNs (4096)',
  android: 'FCM (4096)',
  web: 'web push (3993)',
}

/**
 * Checks the limits of the audience's gateways. Without an audience (a broadcast, or a user without devices), checks
 * APNs and FCM, and web push if any browser is registered.
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
    over.push(
      `${formatCount(bytes, 'byte')} over for ${GATEWAY_NAMES[platform]}${language ? ` in ${language}` : ''}`,
    )
  }
  if (over.length > 0)
    throw new AppError(
      'PAYLOAD_TOO_LARGE',
      `The notification exceeds the gateways' limits: ${over.join(', ')}. Nothing was sent. Shorten title, body or data.`,
    )
}
