import { isLocale, LOCALES, type Locale } from './locales.ts'

export type ChosenLocale = {
  /** Language of the messages. */
  locale: Locale
  /** Language with the user's region, for numbers and dates, such as `en-GB` or `de-AT`. */
  formatLocale: string
}

/**
 * Chooses the language of a page: the user's choice, else the first supported language of Accept-Language, else
 * English. The region comes from Accept-Language if it names one for that language.
 */
export function chooseLocale(
  chosen: string | undefined,
  acceptLanguage: string | null | undefined,
): ChosenLocale {
  const accepted = parseAcceptLanguage(acceptLanguage ?? '')
  const wanted = isLocale(chosen) ? chosen : accepted.map(languageOf).find(isLocale)
  const locale = wanted ?? LOCALES[0]
  const formatLocale = accepted.find((tag) => languageOf(tag) === locale) ?? locale
  return { locale, formatLocale }
}

/** Returns the language tags, highest weight first (RFC 9110, 12.5.4). Skips invalid tags. */
function parseAcceptLanguage(header: string): string[] {
  return header
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))
      return { tag: canonical(tag), weight: weight ? Number(weight.slice(2)) : 1 }
    })
    .filter((one): one is { tag: string; weight: number } => one.tag !== undefined && one.weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
}

function canonical(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

function languageOf(tag: string): string {
  return tag.split('-')[0]!
}
