import { s3Error } from './errors.ts'

/**
 * UriEncode of the SigV4 documents: everything but A-Z a-z 0-9 - . _ ~ becomes %XX of its UTF-8 bytes;
 * slashes stay in paths.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function uriEncode(text: string, keepSlash = false): string {
  const encoded = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return keepSlash ? encoded.replaceAll('%2F', '/') : encoded
}

/** Percent-decoding. @throws S3Error InvalidURI where the escapes are broken or are not UTF-8 */
export function uriDecode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw s3Error('InvalidURI')
  }
}

/**
 * The key meant by a raw path or an `x-amz-copy-source`. S3 reads a bare `+` there as a space, which is
 * why clients must send %2B; a store that took it literally would hide that fault.
 */
export function decodeKey(raw: string): string {
  return uriDecode(raw.replaceAll('+', ' '))
}

export type QueryPairs = [name: string, value: string][]

/** Decoded pairs of a query string in their order; a name without `=` has the value "". */
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
