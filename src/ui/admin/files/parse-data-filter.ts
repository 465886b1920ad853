/** Pattern of an input for `key=value`. */
export const DATA_PATTERN = '[^=]+=.*'

/** Reads `key=value`. Returns undefined if there is no key. */
export function parseDataFilter(text: string): Record<string, string> | undefined {
  const split = text.indexOf('=')
  return split < 1 ? undefined : { [text.slice(0, split).trim()]: text.slice(split + 1).trim() }
}
