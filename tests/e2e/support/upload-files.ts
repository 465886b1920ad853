import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import type { TestUser } from '../../support/users.ts'
import type { Site } from './site.ts'

const MIME_TYPES: Record<string, string> = {
  '.png': 'image/png',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
}

/** Uploads files without a page, as a script would. Returns their IDs. */
export async function uploadFiles(site: Site, user: TestUser, ...paths: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const path of paths) {
    const filename = basename(path)
    const bytes = readFileSync(path)
    const input = { filename, mimeType: MIME_TYPES[extname(path)], size: bytes.length }
    const { uploadUrl, headers, fileId } = await site.server.ok(user, 'upload.requestUploadUrl', input)
    const { ok, status } = await fetch(uploadUrl, { method: 'PUT', headers, body: bytes })
    if (!ok) throw new Error(`the object store returned ${status} for ${filename}`)
    await site.server.ok(user, 'upload.confirmUpload', { fileId })
    ids.push(fileId)
  }
  return ids
}
