// Decides which content can be stored as which type. The server enforces the rule, and clients apply it before they
// send a byte. Each side brings its own detector.

/** Number of leading bytes that are read to detect the type. */
export const LEADING_BYTES = 4096

/** Detects the type of leading bytes, or returns undefined. `text` is the same bytes, decoded. */
export type DetectType = (
  leading: Uint8Array,
  text: string,
) => Promise<string | undefined> | string | undefined

const MARKUP = 'HTML, SVG, XML or a script'

/**
 * Describes the content of a file whose leading bytes cannot be of the declared type; returns undefined if they can.
 * Accepts unknown content unless `strict`. Rejects markup whatever white space or text precedes it, because a browser
 * that sniffs the content, or a program that looks for the first tag, would run it. Images, documents and videos can
 * contain markup (XMP), so content verified to be of the declared type is not searched.
 */
export async function mismatchingContent(
  leading: Uint8Array,
  declared: string,
  detect: DetectType,
  strict = false,
): Promise<string | undefined> {
  const text = decode(leading)
  if (beginsWithMarkup(text)) return MARKUP
  // No allowed type begins with this much white space, and markup could follow.
  if (leading.length >= LEADING_BYTES && /^[\ufeff\t\n\f\r ]+$/.test(text))
    return `text that begins with ${LEADING_BYTES} bytes of white space`
  const found = await detect(leading, text)
  const fits = found !== undefined && family(found) === family(declared)
  if (fits && isProof(text, found)) return undefined
  if (found !== undefined && !fits) return found
  if (hasMarkup(text)) return MARKUP
  return strict ? 'of an unrecognized type' : undefined
}

/** Returns the family of types that count as the same: brands of one container, or a superset of another type. */
function family(mimeType: string): string {
  if (mimeType === 'video/mp4' || mimeType === 'video/quicktime') return 'iso-media'
  if (mimeType === 'image/apng') return 'image/png'
  return mimeType
}

/** Decodes bytes to one character each. */
export function ascii(bytes: Uint8Array, from = 0, to = bytes.length): string {
  return String.fromCharCode(...bytes.subarray(from, Math.min(to, from + LEADING_BYTES)))
}

/** PDF header; readers accept white space before it. */
export const PDF_HEADER = /^\s*%PDF-/

/**
 * Returns true if a detected type is more than a magic number that could also occur in a text (`GIF89a`,
 * `RIFF....WEBP`, `%PDF-`, `....ftyp`). A PDF header is followed by an object. The other headers contain numbers,
 * whose bytes are not text.
 */
function isProof(text: string, found: string): boolean {
  if (found === 'application/pdf') return /^\s*%PDF-\d\.\d\s[\s\S]*?\d\s+\d+\s+obj\b/.test(text)
  return isBinary(text.slice(0, 32))
}

/** Returns true if a character cannot occur in text: https://mimesniff.spec.whatwg.org/#binary-data-byte */
function isBinary(content: string): boolean {
  for (let i = 0; i < content.length; i++)
    if (content.charCodeAt(i) < 32 && !'\t\n\f\r\x1b'.includes(content[i]!)) return true
  return false
}

/** Returns true if the text begins like a document or a script, after any white space and comments. */
function beginsWithMarkup(content: string): boolean {
  let text = content.replace(/^[\ufeff\s\0]+/, '')
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(/^<!--[\s\S]*?(-->|$)\s*/, '')
    if (text === '' && before !== '') return true
  }
  return /^(<!(doctype|entity|\[|--)|<\?([a-z_]|=|\s)|<%|<\/?[a-z_][\w:.-]*([\s/>]|$)|#!|@echo\b)/i.test(text)
}

/** Any tag, including one cut off by the end of the leading bytes. Occurs in 1 of 10 random files. */
const ANY_TAG = /<(!(doctype|entity|\[|--)|\?([a-z_]|=|$)|%|\/?[a-z_][\w:.-]*([\s/>]|$)|[!/?]?[a-z-]*$)/i
/** Tags that random bytes rarely contain: at most 1 in 100,000 files. */
const LONG_TAG =
  /<(!doctype|!entity|!--|\?xml|\/?(html|head|body|title|meta|link|base|style|script|iframe|frame|object|embed|applet|form|input|button|img|image|video|audio|source|table|div|span|font|svg|math|xsl:\w+|\w+:svg|\w+:script)[\s/>])/i

/** Returns true for any tag in text, or for an unmistakable tag in other content. */
function hasMarkup(content: string): boolean {
  const text = content.replaceAll('\0', '')
  return (isBinary(text) ? LONG_TAG : ANY_TAG).test(text)
}

/** Decodes bytes well enough to read ASCII. Browsers recognize UTF-16 by its byte order mark. */
function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  // UTF-8, or UTF-16 without a mark: drop the zero bytes between ASCII letters.
  return ascii(bytes)
    .replace(/^ï»¿/, '')
    .replace(/^(?:([\x20-\x7e])\0|\0([\x20-\x7e])){4,}/, (m) => m.replace(/\0/g, ''))
}
