import { ascii, PDF_HEADER } from '../../content-mismatch.ts'

/** Types by their magic bytes: the allowed types, and those that users most often rename or confuse. */
const SIGNATURES: [type: string, bytes: string, at?: number][] = [
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/gif', 'GIF8'],
  ['video/quicktime', 'moov', 4],
  ['video/quicktime', 'mdat', 4],
  ['video/quicktime', 'free', 4],
  ['video/quicktime', 'wide', 4],
  ['application/zip', 'PK\x03\x04'],
  ['application/x-rar-compressed', 'Rar!\x1a\x07'],
  ['application/x-7z-compressed', "7z\xbc\xaf'\x1c"],
  ['application/gzip', '\x1f\x8b\x08'],
  ['application/x-elf', '\x7fELF'],
  ['application/x-msdownload', 'MZ\x90\0'],
  ['application/x-cfb', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['application/vnd.sqlite3', 'SQLite format 3\0'],
  ['image/tiff', 'II*\0'],
  ['image/tiff', 'MM\0*'],
  ['image/vnd.adobe.photoshop', '8BPS'],
  ['image/jxl', 'JXL ', 4],
  ['video/matroska', '\x1aE\xdf\xa3'],
  ['audio/mpeg', 'ID3'],
  ['audio/ogg', 'OggS'],
  ['audio/flac', 'fLaC'],
]

/**
 * Detects a file's type from its leading bytes. Uses a table of magic bytes, because the server's library is larger
 * than the rest of the client. The server can reject types that this table lacks.
 */
export function detectType(leading: Uint8Array, text: string): string | undefined {
  if (ascii(leading, 4, 8) === 'ftyp') return 'video/mp4'
  if (PDF_HEADER.test(text)) return 'application/pdf'
  if (ascii(leading, 0, 4) === 'RIFF') {
    const form = ascii(leading, 8, 12)
    return form === 'WEBP'
      ? 'image/webp'
      : form === 'WAVE'
        ? 'audio/wav'
        : form === 'AVI '
          ? 'video/avi'
          : undefined
  }
  return SIGNATURES.find(([, bytes, at = 0]) => ascii(leading, at, at + bytes.length) === bytes)?.[0]
}
