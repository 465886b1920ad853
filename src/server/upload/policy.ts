import { fileTypeFromBuffer } from 'file-type'

/** How many leading bytes are looked at. */
export const LEADING_BYTES = 4096

/**
 * Types that file-type tells by two bytes or less of magic: 5 of 10,000 random files would be "detected"
 * (measured over 20,000), so these are no proof of another type.
 */
const WEAK = new Set([
  'audio/mpeg',
  'audio/aac',
  'application/x-compress',
  'application/x-apple-diskimage',
  'image/jxl',
  'video/mp2t',
])

/** Types that count as one: a container's brands, and what is a superset of the other. */
function family(mimeType: string): string {
  if (mimeType === 'video/mp4' || mimeType === 'video/quicktime') return 'iso-media'
  if (mimeType === 'image/apng') return 'image/png'
  return mimeType
}

/**
 * Why these leading bytes cannot be a file of the declared type, or undefined if they may be. Unknown
 * content passes; markup and scripts never do, since a browser that is led to sniff would run them.
 */
export async function contentFault(leading: Uint8Array, declared: string): Promise<string | undefined> {
  const refuse = (found: string) =>
    `The content is ${found}, not ${declared} as declared. The upload was removed; upload it again with the right type.`
  const text = decode(leading)
  if (isMarkup(text)) return refuse('HTML, SVG, XML or a script')
  // None of the allowed types begins so, and what follows may be any of that.
  if (leading.length >= LEADING_BYTES && /^[\ufeff\t\n\f\r ]+$/.test(text))
    return refuse(`text that begins with ${LEADING_BYTES} bytes of white space`)
  const found = await detect(leading)
  if (found === undefined || family(found) === family(declared)) return undefined
  return refuse(found)
}

async function detect(leading: Uint8Array): Promise<string | undefined> {
  const ascii = (from: number, to: number) => String.fromCharCode(...leading.subarray(from, to))
  // Any brand of ISO base media (mp4, mov, m4a, 3gp, heic ...), and Illustrator's PDFs, before file-type splits them.
  if (ascii(4, 8) === 'ftyp') return 'video/mp4'
  if (ascii(0, 5) === '%PDF-') return 'application/pdf'
  if (ascii(4, 8) === 'JXL ') return 'image/jxl'
  const type = await fileTypeFromBuffer(leading)
  const tagged = ascii(0, 3) === 'ID3'
  return type && (tagged || !WEAK.has(type.mime)) ? type.mime : undefined
}

/** Text that begins like a document or script. Comments and space before it do not hide it. */
function isMarkup(content: string): boolean {
  let text = content.replace(/^[\ufeff\s\0]+/, '')
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(/^<!--[\s\S]*?(-->|$)\s*/, '')
    if (text === '' && before !== '') return true
  }
  return /^(<!(doctype|entity|\[|--)|<\?([a-z_]|=|\s)|<%|<\/?[a-z_][\w:.-]*([\s/>]|$)|#!|@echo\b)/i.test(text)
}

/** Enough to read ASCII in: browsers tell UTF-16 by its byte order mark. */
function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  // UTF-16 without a mark, and UTF-8: zero bytes between ASCII letters are dropped.
  return new TextDecoder('latin1')
    .decode(bytes)
    .replace(/^ï»¿/, '')
    .replace(/^(?:([\x20-\x7e])\0|\0([\x20-\x7e])){4,}/, (m) => m.replace(/\0/g, ''))
}
