// What content may be stored as what type. The server decides by it, and pages refuse by it before they send a byte:
// one rule, with a detector of its own on either side.

/** How many leading bytes are read to detect the type. */
export const LEADING_BYTES = 4096

/** Finds the type of leading bytes, as far as it knows types. `text` are the same bytes, readable. */
export type DetectType = (
  leading: Uint8Array,
  text: string,
) => Promise<string | undefined> | string | undefined

const MARKUP = 'HTML, SVG, XML or a script'

/**
 * What a file with these leading bytes is, if it cannot be of the declared type; undefined if it may. Unknown content is
 * accepted, except by a `strict` check. Markup never is, whatever white space or text stands before it: a browser
 * that sniffs the content, or a program that looks for the first tag, would run it. Images, documents and videos
 * hold markup too (XMP), so what is proven to be of the declared type is not searched.
 */
export async function mismatchingContent(
  leading: Uint8Array,
  declared: string,
  detect: DetectType,
  strict = false,
): Promise<string | undefined> {
  const text = decode(leading)
  if (beginsWithMarkup(text)) return MARKUP
  // No allowed type begins like this, and markup may follow.
  if (leading.length >= LEADING_BYTES && /^[\ufeff\t\n\f\r ]+$/.test(text))
    return `text that begins with ${LEADING_BYTES} bytes of white space`
  const found = await detect(leading, text)
  const fits = found !== undefined && family(found) === family(declared)
  if (fits && isProof(text, found)) return undefined
  if (found !== undefined && !fits) return found
  if (hasMarkup(text)) return MARKUP
  return strict ? 'of no type that we recognize' : undefined
}

/** Types that count as the same: brands of one container, and a superset of another type. */
function family(mimeType: string): string {
  if (mimeType === 'video/mp4' || mimeType === 'video/quicktime') return 'iso-media'
  if (mimeType === 'image/apng') return 'image/png'
  return mimeType
}

/** The characters of some bytes, one each. */
export function ascii(bytes: Uint8Array, from = 0, to = bytes.length): string {
  return String.fromCharCode(...bytes.subarray(from, Math.min(to, from + LEADING_BYTES)))
}

/** Readers accept white space before it. */
export const PDF_HEADER = /^\s*%PDF-/

/**
 * Whether a detected type is more than a magic number that may stand in a text as well (`GIF89a`, `RIFF....WEBP`,
 * `%PDF-`, `....ftyp`): the header of a PDF is followed by an object, that of the others has numbers, which are no text.
 */
function isProof(text: string, found: string): boolean {
  if (found === 'application/pdf') return /^\s*%PDF-\d\.\d\s[\s\S]*?\d\s+\d+\s+obj\b/.test(text)
  return isBinary(text.slice(0, 32))
}

/** Whether it has a character that no text has: https://mimesniff.spec.whatwg.org/#binary-data-byte */
function isBinary(content: string): boolean {
  for (let i = 0; i < content.length; i++)
    if (content.charCodeAt(i) < 32 && !'\t\n\f\r\x1b'.includes(content[i]!)) return true
  return false
}

/** Whether text begins like a document or a script, after any white space and comments. */
function beginsWithMarkup(content: string): boolean {
  let text = content.replace(/^[\ufeff\s\0]+/, '')
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(/^<!--[\s\S]*?(-->|$)\s*/, '')
    if (text === '' && before !== '') return true
  }
  return /^(<!(doctype|entity|\[|--)|<\?([a-z_]|=|\s)|<%|<\/?[a-z_][\w:.-]*([\s/>]|$)|#!|@echo\b)/i.test(text)
}

/** Any tag, also one that the end of the leading bytes cuts off. Random bytes hold one in 1 of 10 files. */
const ANY_TAG = /<(!(doctype|entity|\[|--)|\?([a-z_]|=|$)|%|\/?[a-z_][\w:.-]*([\s/>]|$)|[!/?]?[a-z-]*$)/i
/** Tags that random bytes do not hold: at most 1 of 100,000 files. */
const LONG_TAG =
  /<(!doctype|!entity|!--|\?xml|\/?(html|head|body|title|meta|link|base|style|script|iframe|frame|object|embed|applet|form|input|button|img|image|video|audio|source|table|div|span|font|svg|math|xsl:\w+|\w+:svg|\w+:script)[\s/>])/i

/** Whether there is markup anywhere: any tag in a text, an unmistakable one in other content. */
function hasMarkup(content: string): boolean {
  const text = content.replaceAll('\0', '')
  return (isBinary(text) ? LONG_TAG : ANY_TAG).test(text)
}

/** Good enough to read ASCII. Browsers recognize UTF-16 by its byte order mark. */
function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  // UTF-8, and UTF-16 without a mark: drops the zero bytes between ASCII letters.
  return ascii(bytes)
    .replace(/^ï»¿/, '')
    .replace(/^(?:([\x20-\x7e])\0|\0([\x20-\x7e])){4,}/, (m) => m.replace(/\0/g, ''))
}
