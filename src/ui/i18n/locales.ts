export const LOCALES = ['en', 'de'] as const

export type Locale = (typeof LOCALES)[number]

/** What each language calls itself. */
export const LOCALE_NAMES: Record<Locale, string> = { en: 'English', de: 'Deutsch' }

/** The language that the user chose on this browser; without it, the browser's Accept-Language decides. */
export const LOCALE_COOKIE = 'pigeonhole-locale'

export function isLocale(value: string | undefined): value is Locale {
  return LOCALES.some((locale) => locale === value)
}
