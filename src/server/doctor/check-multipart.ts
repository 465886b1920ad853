import { AbortMultipartUploadCommand, ListPartsCommand } from '@aws-sdk/client-s3'
import { FILE_MAX_BYTES } from '@pigeonhole/client/limits'
import { maxParts } from '@pigeonhole/client/parts'
import { isNoSuchKey, isNoSuchUpload } from '../adapters/s3/errors.ts'
import { plainEtag } from '../domain/uploads/object-store.ts'
import type { UploadSettings } from '../domain/uploads/upload-deps.ts'
import { timeLimit } from './peer.ts'
import { attempt, describe, fail, ok, type Report, warn } from './report.ts'
import { headObject, putPart, readObject, type StoreUnderTest } from './store-under-test.ts'

const BODY = 'a part of an upload'
const OTHER_BODY = 'another part, sent '
/** Stands for the text of an object that the store returns an error for. */
const UNREADABLE = Symbol('unreadable')

/** Checks whether part URLs stop working when their upload has ended, and how the store reports ended uploads. */
export async function checkMultipart(
  underTest: StoreUnderTest,
  limits: Pick<UploadSettings, 'maxParts' | 'policies'>,
  report: Report,
): Promise<void> {
  const { store } = underTest

  await attempt(report, 'store-part-numbers', async () => {
    const sizes = [...limits.policies.values()].map(({ maxBytes }) => maxBytes)
    const last = Math.min(limits.maxParts, maxParts(Math.max(FILE_MAX_BYTES, ...sizes)))
    const { abort, status } = await uploadPart(underTest, last)
    await abort()
    if (status < 300) return ok(`part ${last} is accepted`)
    return fail(
      `part ${last} is rejected (${status}), so the largest uploads cannot complete: set S3_MAX_PARTS to the number of parts that the store accepts`,
    )
  })

  await attempt(report, 'store-part-after-completion', async () => {
    const { key, uploadId, etag, putAgain } = await uploadPart(underTest, 1)
    const parts = [{ partNumber: 1, size: BODY.length, etag }]
    const completed = await store.completeUpload(key, uploadId, parts, timeLimit())
    if (completed.outcome !== 'done')
      throw new Error(`the completion was not accepted: ${completed.outcome}`, {
        cause: 'cause' in completed ? completed.cause : undefined,
      })
    const { ETag = '' } = await headObject(underTest, key)
    const multipartEtag = /-1$/.test(plainEtag(ETag))
      ? ok('ends with the number of parts')
      : warn(`${ETag} is unlike AWS's: the service uses what HeadObject returns`)
    report('store-multipart-etag', ...multipartEtag)
    const late = await putAgain()
    const text = await readObject(underTest, key, UNREADABLE)
    // Swift checks the parts when it serves the file.
    if (text === UNREADABLE)
      return warn(
        'a part URL accepts bytes after completion: the store then returns an error instead of the file, but never other bytes. Only the owner can do this, for an hour, and sending the part again repairs the file',
      )
    if (text !== BODY)
      return fail(
        'a part URL changes the file after completion, so its holder can change the file for an hour',
      )
    return late.ok
      ? warn('a part URL accepts bytes after completion, but the file does not change')
      : ok(`a part URL stops working after completion (${late.status})`)
  })

  await attempt(report, 'store-part-after-abort', async () => {
    const { key, uploadId, abort, putAgain } = await uploadPart(underTest, 1)
    await abort()
    const late = await putAgain()
    report('store-ended-upload-errors', ...(await endedUploadVerdict(underTest, key, uploadId)))
    return late.ok
      ? warn('a part URL accepts uncounted bytes for an hour after an abort: watch the size of the bucket')
      : ok(`a part URL stops working after an abort (${late.status})`)
  })
}

/** Checks whether the service recognizes the store's errors for an ended upload. */
async function endedUploadVerdict({ client, bucket }: StoreUnderTest, key: string, uploadId: string) {
  const upload = { Bucket: bucket, Key: key, UploadId: uploadId }
  const errorOf = (response: Promise<unknown>) =>
    response.then(
      () => null,
      (error: unknown) => error,
    )
  const options = { abortSignal: timeLimit() }
  const listing = await errorOf(client.send(new ListPartsCommand(upload), options))
  const abort = await errorOf(client.send(new AbortMultipartUploadCommand(upload), options))
  const message = `ListParts: ${nameOf(listing)}, abort: ${nameOf(abort)}`
  if (isNoSuchUpload(listing) && (abort === null || isNoSuchUpload(abort))) return ok(message)
  if (isNoSuchUpload(listing) || isNoSuchKey(listing))
    return warn(`${message}: unlike AWS's, but the service recognizes them`)
  return fail(`${message}: the service does not recognize ended uploads, so their quota stays reserved`)
}

const nameOf = (error: unknown) => (error === null ? 'no error' : ((error as Error).name ?? describe(error)))

/** Begins an upload of a new final key and PUTs one part. `putAgain` uses the part's URL a second time. */
async function uploadPart({ store, finalKey }: StoreUnderTest, partNumber: number) {
  const key = finalKey()
  const uploadId = await store.createUpload(key, { contentType: 'image/png' }, timeLimit())
  const { urls } = await store.presignParts(key, uploadId, [{ partNumber, size: BODY.length }], 60)
  const put = async (body: string) => {
    const response = await putPart(urls[0]!, body)
    await response.body?.cancel()
    return response
  }
  const { status, headers } = await put(BODY)
  return {
    key,
    uploadId,
    status,
    etag: plainEtag(headers.get('etag') ?? ''),
    putAgain: () => put(OTHER_BODY),
    abort: () => store.abortUpload(key, uploadId, timeLimit()),
  }
}
