import { bytesOf } from '../../parts.ts'
import type { RulesCache } from '../engine/rules-cache.ts'
import type { UploadContext } from '../engine/upload-context.ts'
import type { UsageCache } from '../engine/usage-cache.ts'
import { findServerUpload } from '../resume/find-server-upload.ts'
import type { UploadRecord } from '../resume/upload-record.ts'
import type { UploadedFile } from '../types.ts'
import { validateContent } from '../validation/validate-content.ts'
import { checkQuota, validateFile } from '../validation/validate-file.ts'
import { kindOf } from './choose-flow.ts'
import { initiateMultipart, uploadMultipart } from './multipart-upload.ts'
import { uploadSimple } from './simple-upload.ts'
import { makeThumbnail, storeThumbnail } from './store-thumbnail.ts'

type Caches = { usage: UsageCache; rules: RulesCache }

/** Sends a source, stores its thumbnail if the platform can create one, and returns the file. */
export async function runUpload(
  context: UploadContext,
  record: UploadRecord,
  caches: Caches,
): Promise<UploadedFile> {
  let thumbnail: Promise<Blob | null> | undefined
  const startThumbnail = () => {
    thumbnail ??= makeThumbnail(context)
    return thumbnail
  }
  // Create it while the server checks the file. Earlier, it would compete with the transfer; later, it would delay
  // completion.
  const verifying = () => {
    context.on.verifying()
    void startThumbnail()
  }
  const file = await sendFile({ ...context, on: { ...context.on, verifying } }, record, caches)
  // A held file can have none.
  if (file.state !== 'HELD') await storeThumbnail(context, file.id, startThumbnail())
  return file
}

/** Continues an unfinished upload if there is one. Otherwise checks the quota and chooses the flow by size. */
async function sendFile(
  context: UploadContext,
  record: UploadRecord,
  { usage, rules }: Caches,
): Promise<UploadedFile> {
  const { source, mimeType } = context
  const { name, size } = source
  const usageRequest = usage.get(context, size)
  // Only a new file needs the usage: the error is thrown where it is awaited below.
  usageRequest.catch(() => {})
  // Wait for both: a failed upload releases its record, which must be loaded by then.
  const checks = await Promise.allSettled([validateContent(source, mimeType), record.load()])
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
  const policyRules = await rules.get(context)
  const known = await usageRequest
  const rejection =
    (policyRules && validateFile({ name, mimeType, size }, policyRules)) ?? (known && checkQuota(known, size))
  if (rejection) throw rejection
  if (kindOf(size) === 'simple') return uploadSimple(context)
  return uploadMultipart(context, await initiateMultipart(context, policyRules))
}
