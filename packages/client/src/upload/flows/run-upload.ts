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
import { makeThumbnail, storeThumbnail } from './store-thumbnail.ts'

/** Sends a source, stores a thumbnail of it where one can be made, and returns the file. */
export async function runUpload(
  context: UploadContext,
  record: UploadRecord,
  usage: UsageCache,
): Promise<UploadedFile> {
  let thumbnail: Promise<Blob | null> | undefined
  const begin = () => {
    thumbnail ??= makeThumbnail(context)
    return thumbnail
  }
  // Made while the server checks the file: earlier it would compete with the transfer, later the upload would wait for it.
  const verifying = () => {
    context.on.verifying()
    void begin()
  }
  const file = await sendFile({ ...context, on: { ...context.on, verifying } }, record, usage)
  await storeThumbnail(context, file.id, begin())
  return file
}

/** Continues an unfinished upload if there is one; otherwise checks the quota and takes the flow that fits the size. */
async function sendFile(
  context: UploadContext,
  record: UploadRecord,
  usage: UsageCache,
): Promise<UploadedFile> {
  const { size } = context.source
  const asked = usage.get(context, size)
  // Needed only below, by a file that is new; its error is thrown there.
  asked.catch(() => {})
  // Both are waited for: the record of an upload that fails is released, which must not come before it is loaded.
  const checks = await Promise.allSettled([validateContent(context.source, context.mimeType), record.load()])
  for (const check of checks) if (check.status === 'rejected') throw check.reason
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
  const known = await asked
  const refusal = known && checkQuota(known, size)
  if (refusal) throw refusal
  return kindOf(size) === 'simple' ? uploadSimple(context) : uploadMultipart(context)
}
