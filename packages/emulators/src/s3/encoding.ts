import { s3Error } from './errors.ts'

/**
 * Encodes like UriEncode of the SigV4 documents: all characters except `A-Za-z0-9-._~` become %XX of their UTF-8
 * bytes. In paths, slashes stay.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function uriEncode(text: string, keepSlash = false): string {
  const encoded = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return keepSlash ? encoded.replaceAll('%2F', '/') : encoded
}

/** Decodes percent-encoding. @throws S3Error InvalidURI if escapes are malformed or not UTF-8 */
export function uriDecode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw s3Error('InvalidURI')
  }
}

/**
 * Returns the key of a raw path or an `x-amz-copy-source`. S3 reads a `+` as a space, so clients must send %2B. A store
 * that read it literally would hide that mistake.
 */
export function decodeKey(raw: string): string {
  return uriDecode(raw.replaceAll('+', ' '))
}

export type QueryPairs = [name: string, value: string][]

/** Returns the decoded pairs of a query string in order. A name without `=` has the value "". */
export function parseQuery(raw: string): QueryPairs {
  const pairs: QueryPairs = []
  for (const piece of raw.split('&')) {
    if (piece === '') continue
    const equals = piece.indexOf('=')
    const name = equals < 0 ? piece : piece.slice(0, equals)
    const value = equals < 0 ? '' : piece.slice(equals + 1)
    pairs.push([decodeKey(name), decodeKey(value)])
  }
  return pairs
}
