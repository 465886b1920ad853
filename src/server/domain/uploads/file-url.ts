import { withoutDirectionOverrides } from '../../kernel/validation.ts'
import { wrongState } from './errors.ts'
import { type FileRecord, isStored } from './file-record.ts'
import { isRecognizable } from './media-types.ts'
import type { StoredHeaders } from './object-store.ts'
import type { FinishedUpload, Visibility } from './schema.ts'
import type { FileUrls } from './upload-deps.ts'

/** Lifetime of a presigned GET (docs/spec.md). */
export const DOWNLOAD_URL_SECONDS = 5 * 60

/** Without S3_PUBLIC_URL, every file is private. */
export function visibilityOf(
  { publicUrl }: Pick<FileUrls, 'publicUrl'>,
  { visibility }: Pick<FileRecord, 'visibility'>,
): Visibility {
  return publicUrl === undefined ? 'private' : (visibility ?? 'public')
}

/** Returns the URL of a public file below S3_PUBLIC_URL, else `/files/{id}` of this server, which checks the session. */
export function fileUrl(urls: FileUrls, file: Pick<FileRecord, 'id' | 'key' | 'visibility'>): string {
  return visibilityOf(urls, file) === 'public'
    ? `${urls.publicUrl}/${file.key.split('/').map(encodeURIComponent).join('/')}`
    : `${urls.baseUrl}/files/${file.id}`
}

/** Always returns a URL of this server, because thumbnails are not in the store. Null: the file has none. */
export function thumbnailUrl(urls: FileUrls, file: Pick<FileRecord, 'id' | 'thumbnailBytes'>): string | null {
  return file.thumbnailBytes > 0 ? `${urls.baseUrl}/files/${file.id}/thumbnail` : null
}

/** Returns a header (RFC 6266) with `filename*` (RFC 5987) for any name, and an ASCII `filename` for older clients. */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  // A folder would show `cat<RLO>gnp.exe` as `catexe.png`.
  const filename = withoutDirectionOverrides(name)
  const plain = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/**
 * Returns the headers that the store keeps with the object, which public URLs send. Without an attachment, a browser
 * would display content that nothing has checked.
 */
export function storedAs({ mimeType }: Pick<FileRecord, 'mimeType'>): StoredHeaders {
  return {
    contentType: mimeType,
    ...(!isRecognizable(mimeType) && { contentDisposition: 'attachment' }),
  }
}

/** Returns the response of confirmUpload and completeMultipart. */
export function finishedUpload(urls: FileUrls, file: FileRecord, held: boolean): FinishedUpload {
  const { id, filename } = file
  return { success: true, file: { id, filename, url: fileUrl(urls, file), ...(held && { state: 'HELD' }) } }
}

/** Returns the same response to a repeated call. @throws AppError BAD_REQUEST unless the file is READY or HELD */
export function finishedEarlier({ urls }: { urls: FileUrls }, file: FileRecord): FinishedUpload {
  if (isStored(file)) return finishedUpload(urls, file, file.state === 'HELD')
  throw wrongState(file)
}
