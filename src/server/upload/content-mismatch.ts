import { ascii, LEADING_BYTES, mismatchingContent, PDF_HEADER } from '@pigeonhole/client/content-mismatch'
import { fileTypeFromBuffer } from 'file-type'
import type { ContentCheck, FileRecord, InspectedObject, UploadDeps } from './ports.ts'

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

/** Why an object in the store is not what was declared: by its size, or the type of its leading bytes. Undefined: it is. */
export async function objectMismatch(
  { settings }: Pick<UploadDeps, 'settings'>,
  declared: Pick<FileRecord, 'size' | 'mimeType'>,
  object: InspectedObject,
): Promise<string | undefined> {
  if (object.size !== declared.size)
    return `The object store received ${object.size} bytes, not ${declared.size} as declared. The upload was removed; start a new one.`
  return contentMismatch(object.leading, declared.mimeType, settings.contentCheck)
}

/** As `head`, with as many bytes as `objectMismatch` needs. */
export const inspectObject = ({ store }: Pick<UploadDeps, 'store'>, key: string, signal: AbortSignal) =>
  store.inspect(key, LEADING_BYTES, signal)

/** Why a file with these leading bytes cannot have the declared type; undefined if it may. */
export async function contentMismatch(
  leading: Uint8Array,
  declared: string,
  check: ContentCheck = 'lenient',
): Promise<string | undefined> {
  const found = await mismatchingContent(leading, declared, detect, check === 'strict')
  return (
    found &&
    `The content is ${found}, not ${declared} as declared. The upload was removed; upload it again with the right type.`
  )
}

async function detect(leading: Uint8Array, text: string): Promise<string | undefined> {
  // Before file-type, which tells apart the brands of ISO base media (mp4, mov, m4a, 3gp, heic ...) and Illustrator's PDFs.
  if (ascii(leading, 4, 8) === 'ftyp') return 'video/mp4'
  if (PDF_HEADER.test(text)) return 'application/pdf'
  if (ascii(leading, 4, 8) === 'JXL ') return 'image/jxl'
  const type = await fileTypeFromBuffer(leading)
  const tagged = ascii(leading, 0, 3) === 'ID3'
  return type && (tagged || !WEAKLY_DETECTED.has(type.mime)) ? type.mime : undefined
}
