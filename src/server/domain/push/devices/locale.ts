/** Maximum characters. Real language tags are shorter. */
export const MAX_LOCALE_LENGTH = 100

/**
 * Returns the canonical form of a language tag (BCP 47), such as `de-AT` for `de-at` and `he` for `iw`. Accepts
 * underscores, because Java writes `de_AT`. Returns null for any other text.
 */
export function canonicalLocale(tag: string): string | null {
  if (tag.length > MAX_LOCALE_LENGTH) return null
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] ?? null
  } catch {
    return null
  }
}

/**
 * Returns the best of these canonical tags for a device (RFC 4647, "lookup"): its own tag, or else a shorter one, such
 * as `zh-Hant` or `zh` for `zh-Hant-TW`. Returns undefined if none matches, so the device gets the default text.
 */
export function lookUpLocale(locale: string, tags: ReadonlySet<string>): string | undefined {
  for (let range = locale; range !== ''; range = shorter(range)) if (tags.has(range)) return range
  return undefined
}

/** Removes the last part, and a single letter or digit before it, which begins an extension (`-u-co-phonebk`). */
function shorter(range: string): string {
  const rest = range.slice(0, Math.max(0, range.lastIndexOf('-')))
  return /-[a-z0-9]$/i.test(rest) ? rest.slice(0, -2) : rest
}
