import type { FileRecord } from './ports.ts'
import { type FileUrls, fileUrl } from './urls.ts'

export type Finished = { success: true; file: { id: string; filename: string; url: string } }

/** The answer of confirmUpload and completeMultipart, the first time and every time after. */
export function finished(deps: { urls: FileUrls }, file: FileRecord): Finished {
  return { success: true, file: { id: file.id, filename: file.filename, url: fileUrl(deps.urls, file) } }
}
