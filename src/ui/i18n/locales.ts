export const LOCALES = ['en', 'de'] as const

export type Locale = (typeof LOCALES)[number]

/** Each language's own name. */
export const LOCALE_NAMES: Record<Locale, string> = { en: 'English', de: 'Deutsch' }

/** Cookie with the language that the user chose in this browser. Without it, Accept-Language decides. */
export const LOCALE_COOKIE = 'pigeonhole-locale'

export function isLocale(value: string | undefined): value is Locale {
  return LOCALES.some((locale) => locale === value)
}
