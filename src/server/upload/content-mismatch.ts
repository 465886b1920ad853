import { fileTypeFromBuffer } from 'file-type'
import type { FileRecord, ObjectInfo, ObjectStore } from './ports.ts'

/** How many leading bytes are read to detect the type. */
export const LEADING_BYTES = 4096

/**
 * Types that file-type detects by two magic bytes or fewer. It finds one of them in 5 of 10,000 random files
 * (measured over 20,000), so they do not prove that the declared type is wrong.
 */
const WEAKLY_DETECTED = new Set([
  'audio/mpeg',
  'audio/aac',
  'application/x-compress',
  'application/x-apple-diskimage',
  'image/jxl',
  'video/mp2t',
])

/** Types that count as the same: brands of one container, and a superset of another type. */
function family(mimeType: string): string {
  if (mimeType === 'video/mp4' || mimeType === 'video/quicktime') return 'iso-media'
  if (mimeType === 'image/apng') return 'image/png'
  return mimeType
}

/**
 * Compares an object in the store with what was declared: its size, and the type of its leading bytes.
 * `changed`: it was replaced in between. Undefined: it matches.
 */
export async function objectMismatch(
  store: ObjectStore,
  declared: Pick<FileRecord, 'size' | 'mimeType'>,
  object: ObjectInfo & { key: string },
  signal: AbortSignal,
): Promise<{ message: string } | 'changed' | undefined> {
  if (object.size !== declared.size)
    return {
      message: `The object store received ${object.size} bytes, not ${declared.size} as declared. The upload was removed; start a new one.`,
    }
  const leading = await store.leadingBytes(object.key, object, LEADING_BYTES, signal)
  if (leading === 'changed') return 'changed'
  const message = await contentMismatch(leading, declared.mimeType)
  return message === undefined ? undefined : { message }
}

/**
 * Why a file with these leading bytes cannot have the declared type; undefined if it may. Unknown content is
 * accepted. Markup and scripts never are: a browser that sniffs the content would run them.
 */
export async function contentMismatch(leading: Uint8Array, declared: string): Promise<string | undefined> {
  const mismatch = (found: string) =>
    `The content is ${found}, not ${declared} as declared. The upload was removed; upload it again with the right type.`
  const text = decode(leading)
  if (isMarkup(text)) return mismatch('HTML, SVG, XML or a script')
  // No allowed type begins like this, and markup may follow.
  if (leading.length >= LEADING_BYTES && /^[\ufeff\t\n\f\r ]+$/.test(text))
    return mismatch(`text that begins with ${LEADING_BYTES} bytes of white space`)
  const found = await detect(leading)
  if (found === undefined || family(found) === family(declared)) return undefined
  return mismatch(found)
}

async function detect(leading: Uint8Array): Promise<string | undefined> {
  const ascii = (from: number, to: number) => String.fromCharCode(...leading.subarray(from, to))
  // Before file-type, which tells apart the brands of ISO base media (mp4, mov, m4a, 3gp, heic ...) and Illustrator's PDFs.
  if (ascii(4, 8) === 'ftyp') return 'video/mp4'
  if (ascii(0, 5) === '%PDF-') return 'application/pdf'
  if (ascii(4, 8) === 'JXL ') return 'image/jxl'
  const type = await fileTypeFromBuffer(leading)
  const tagged = ascii(0, 3) === 'ID3'
  return type && (tagged || !WEAKLY_DETECTED.has(type.mime)) ? type.mime : undefined
}

/** Whether text begins like a document or a script, after any white space and comments. */
function isMarkup(content: string): boolean {
  let text = content.replace(/^[\ufeff\s\0]+/, '')
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(/^<!--[\s\S]*?(-->|$)\s*/, '')
    if (text === '' && before !== '') return true
  }
  return /^(<!(doctype|entity|\[|--)|<\?([a-z_]|=|\s)|<%|<\/?[a-z_][\w:.-]*([\s/>]|$)|#!|@echo\b)/i.test(text)
}

/** Good enough to read ASCII. Browsers recognize UTF-16 by its byte order mark. */
function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  // UTF-8, and UTF-16 without a mark: drops the zero bytes between ASCII letters.
  return new TextDecoder('latin1')
    .decode(bytes)
    .replace(/^ï»¿/, '')
    .replace(/^(?:([\x20-\x7e])\0|\0([\x20-\x7e])){4,}/, (m) => m.replace(/\0/g, ''))
}
