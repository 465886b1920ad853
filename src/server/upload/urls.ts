import type { FileRecord } from './ports.ts'

export type FileUrls = { baseUrl: string; publicUrl: string | undefined }

/** What `file.url` says: under S3_PUBLIC_URL, else our own address, which checks the session. */
export function fileUrl(urls: FileUrls, file: Pick<FileRecord, 'id' | 'key'>): string {
  return urls.publicUrl
    ? `${urls.publicUrl}/${file.key.split('/').map(encodeURIComponent).join('/')}`
    : `${urls.baseUrl}/files/${file.id}`
}

/** RFC 6266, with RFC 5987's form for what is not ASCII; the plain form is for clients that know only it. */
export function contentDisposition(kind: 'inline' | 'attachment', filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
