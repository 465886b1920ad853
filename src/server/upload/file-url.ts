import { withoutDirectionOverrides } from '../validation.ts'
import type { FileRecord, FileUrls } from './ports.ts'

/** `file.url`: below S3_PUBLIC_URL if that is set, else `/files/{id}` of this server, which checks the session. */
export function fileUrl(urls: FileUrls, file: Pick<FileRecord, 'id' | 'key'>): string {
  return urls.publicUrl
    ? `${urls.publicUrl}/${file.key.split('/').map(encodeURIComponent).join('/')}`
    : `${urls.baseUrl}/files/${file.id}`
}

/** Of this server also where files are on a CDN: thumbnails are not in the store. Null: it has none. */
export function thumbnailUrl(urls: FileUrls, file: Pick<FileRecord, 'id' | 'thumbnailBytes'>): string | null {
  return file.thumbnailBytes > 0 ? `${urls.baseUrl}/files/${file.id}/thumbnail` : null
}

/** RFC 6266: `filename*` (RFC 5987) for any name, and a plain ASCII `filename` for clients that know only that. */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  // In a folder, `cat<RLO>gnp.exe` would be shown as `catexe.png`.
  const filename = withoutDirectionOverrides(name)
  const plain = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

export type FinishedUpload = { success: true; file: { id: string; filename: string; url: string } }

/** The answer of confirmUpload and completeMultipart, also when they are repeated. */
export function finishedUpload(urls: FileUrls, file: FileRecord): FinishedUpload {
  return { success: true, file: { id: file.id, filename: file.filename, url: fileUrl(urls, file) } }
}
