import { crc32 } from './crc32.ts'

/** A file of the archive. */
export type ZipEntry = { name: string; bytes: Blob; crc32: number; modifiedAt: Date }

/** Sizes and positions are 32 bits wide: ZIP64 is not written. */
export const ZIP_MAX_BYTES = 0xffff_ffff
export const ZIP_MAX_FILES = 0xffff

const LOCAL_HEADER = 0x0403_4b50
const CENTRAL_HEADER = 0x0201_4b50
const END_RECORD = 0x0605_4b50
const VERSION = 20
/** General purpose bit 11: names are UTF-8. */
const UTF8_NAMES = 0x0800

/**
 * A ZIP archive of files as they are: pictures, PDFs and videos are compressed already. The result refers to the
 * blobs, which browsers keep on disk when they are large. By PKWARE's APPNOTE 6.3.10, sections 4.3 and 4.4.
 * @throws RangeError when it gets larger than the format's 4 GB, or has more than 65,535 files
 */
export function zip(entries: ZipEntry[]): Blob {
  const parts: BlobPart[] = []
  const central: BlobPart[] = []
  let [position, centralBytes] = [0, 0]
  if (entries.length > ZIP_MAX_FILES) throw new RangeError('too many files for a ZIP archive')
  for (const { name, bytes, crc32: sum, modifiedAt } of entries) {
    const encoded = new TextEncoder().encode(name)
    const shared = (view: DataView, at: number) => {
      view.setUint16(at, VERSION, true)
      view.setUint16(at + 2, UTF8_NAMES, true)
      view.setUint32(at + 6, dosTime(modifiedAt), true)
      view.setUint32(at + 10, sum, true)
      view.setUint32(at + 14, bytes.size, true)
      view.setUint32(at + 18, bytes.size, true)
      view.setUint16(at + 22, encoded.length, true)
    }
    const local = record(30, (view) => {
      view.setUint32(0, LOCAL_HEADER, true)
      shared(view, 4)
    })
    const directory = record(46, (view) => {
      view.setUint32(0, CENTRAL_HEADER, true)
      view.setUint16(4, VERSION, true)
      shared(view, 6)
      view.setUint32(42, position, true)
    })
    parts.push(local, encoded, bytes)
    central.push(directory, encoded)
    position += local.byteLength + encoded.length + bytes.size
    centralBytes += directory.byteLength + encoded.length
    if (position + centralBytes > ZIP_MAX_BYTES) throw new RangeError('too large for a ZIP archive')
  }
  const end = record(22, (view) => {
    view.setUint32(0, END_RECORD, true)
    view.setUint16(8, entries.length, true)
    view.setUint16(10, entries.length, true)
    view.setUint32(12, centralBytes, true)
    view.setUint32(16, position, true)
  })
  return new Blob([...parts, ...central, end], { type: 'application/zip' })
}

/** The blob's checksum, read in pieces: it may be larger than memory. */
export async function blobCrc32(blob: Blob, signal?: AbortSignal): Promise<number> {
  let sum = 0
  const reader = blob.stream().getReader()
  for (;;) {
    signal?.throwIfAborted()
    const { done, value } = await reader.read()
    if (done) return sum
    sum = crc32(value, sum)
  }
}

/** Gives names that occur twice a number: an archive would lose one of them where it is unpacked. */
export function uniqueNames(names: string[]): string[] {
  // File systems of Windows and macOS do not tell upper from lower case.
  const taken = new Set<string>()
  return names.map((name) => {
    const [, stem, extension] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? ['', name, '']
    let unique = name
    for (let n = 2; taken.has(unique.toLowerCase()); n++) unique = `${stem} (${n})${extension ?? ''}`
    taken.add(unique.toLowerCase())
    return unique
  })
}

function record(length: number, fill: (view: DataView) => void): ArrayBuffer {
  const buffer = new ArrayBuffer(length)
  fill(new DataView(buffer))
  return buffer
}

/** MS-DOS date and time, in local time, to 2 seconds; the format begins in 1980. */
function dosTime(time: Date): number {
  const year = Math.min(Math.max(time.getFullYear() - 1980, 0), 127)
  const date = (year << 9) | ((time.getMonth() + 1) << 5) | time.getDate()
  const clock = (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1)
  return ((date << 16) | clock) >>> 0
}
