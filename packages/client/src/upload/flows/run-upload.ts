import { bytesOf } from '../../parts.ts'
import type { UploadContext } from '../engine/upload-context.ts'
import type { UsageCache } from '../engine/usage-cache.ts'
import { findServerUpload } from '../resume/find-server-upload.ts'
import type { UploadRecord } from '../resume/upload-record.ts'
import type { UploadedFile } from '../types.ts'
import { validateContent } from '../validation/validate-content.ts'
import { checkQuota } from '../validation/validate-file.ts'
import { kindOf } from './choose-flow.ts'
import { uploadMultipart } from './multipart-upload.ts'
import { uploadSimple } from './simple-upload.ts'
import { storeThumbnail } from './store-thumbnail.ts'

/** Sends a source, stores a thumbnail of it where one can be made, and returns the file. */
export async function runUpload(
  context: UploadContext,
  record: UploadRecord,
  usage: UsageCache,
): Promise<UploadedFile> {
  const file = await sendFile(context, record, usage)
  await storeThumbnail(context, file.id)
  return file
}

/** Continues an unfinished upload if there is one; otherwise checks the quota and takes the flow that fits the size. */
async function sendFile(
  context: UploadContext,
  record: UploadRecord,
  usage: UsageCache,
): Promise<UploadedFile> {
  const { size } = context.source
  await validateContent(context.source, context.mimeType)
  await record.load()
  if (record.fileId !== null) {
    const found = await findServerUpload(context, record.fileId, record.requested)
    if (found.kind === 'complete') return found.file
    if (found.kind === 'unfinished') {
      const { parts, done } = found.serverUpload
      context.on.resumed(bytesOf(parts, done))
      return uploadMultipart(context, found.serverUpload)
    }
    await record.clear()
  }
  const known = await usage.get(context, size)
  const refusal = known && checkQuota(known, size)
  if (refusal) throw refusal
  return kindOf(size) === 'simple' ? uploadSimple(context) : uploadMultipart(context)
}
