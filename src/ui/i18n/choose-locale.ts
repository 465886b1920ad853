import { isLocale, LOCALES, type Locale } from './locales.ts'

export type ChosenLocale = {
  /** The language of the words. */
  locale: Locale
  /** The language with the reader's region, for numbers and dates: `en-GB`, `de-AT`. */
  formatLocale: string
}

/**
 * The language of a page: what the user chose, else the first language of Accept-Language that we have, else English.
 * The region comes from Accept-Language too, where it names one for that language.
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

/** The tags by their weight, best first (RFC 9110, 12.5.4); what is no language tag is left out. */
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
