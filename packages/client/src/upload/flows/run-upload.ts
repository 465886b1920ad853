import type { Shared } from '../engine/upload.ts'
import type { Job } from '../engine/upload-context.ts'
import { find } from '../resume/find-server-upload.ts'
import type { UploadRecord } from '../resume/upload-record.ts'
import type { UploadedFile } from '../types.ts'
import { quotaRefusal } from '../validation/validate-file.ts'
import { sendMultipart } from './multipart-upload.ts'
import { bytesOf, kindOf } from './part-plan.ts'
import { sendSimple } from './simple-upload.ts'

/**
 * From a source to a file: goes on with an unfinished upload if there is one, else checks the quota and
 * takes the flow that fits the size. `resumed` is told the bytes that need not be sent again.
 */
export async function runUpload(
  job: Job,
  record: UploadRecord,
  shared: Shared,
  resumed: (bytes: number) => void,
): Promise<UploadedFile> {
  const { size } = job.source
  await record.recall()
  if (record.fileId !== null) {
    const found = await find(job, record.fileId, record.wanted)
    if (found.kind === 'done') return found.file
    if (found.kind === 'place') {
      const { parts, done } = found.place
      resumed(bytesOf(parts, done))
      return sendMultipart(job, found.place)
    }
    await record.forget()
  }
  const refusal = quotaRefusal(await shared.usage(job, size), size)
  if (refusal) throw refusal
  return kindOf(size) === 'simple' ? sendSimple(job) : sendMultipart(job)
}
