/** Longer tags than any device has. */
export const MAX_LOCALE_LENGTH = 100

/**
 * A language tag (BCP 47) in its canonical form (`de-at` → `de-AT`, `iw` → `he`); null: not one. Java writes
 * `de_AT`, so underscores are taken too.
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
 * The best of these canonical tags for a device: the same tag, else the one that is left when subtags are taken away
 * from its end (RFC 4647, "lookup"): `zh-Hant-TW`, `zh-Hant`, `zh`. Undefined: none; the default text is meant.
 */
export function lookUpLocale(locale: string, tags: ReadonlySet<string>): string | undefined {
  for (let range = locale; range !== ''; range = shorter(range)) if (tags.has(range)) return range
  return undefined
}

/** A single letter or digit begins an extension (`-u-co-phonebk`) and goes with it. */
function shorter(range: string): string {
  const rest = range.slice(0, Math.max(0, range.lastIndexOf('-')))
  return /-[a-z0-9]$/i.test(rest) ? rest.slice(0, -2) : rest
}
