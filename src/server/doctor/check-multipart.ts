import { AbortMultipartUploadCommand, ListPartsCommand } from '@aws-sdk/client-s3'
import { FILE_MAX_BYTES } from '@pigeonhole/client/limits'
import { mostParts } from '@pigeonhole/client/parts'
import { isNoSuchKey, isNoSuchUpload } from '../s3/errors.ts'
import { plainEtag } from '../upload/etag.ts'
import { attempt, describe, type Report } from './finding.ts'
import { headObject, readObject, type TriedStore } from './tried-store.ts'

const BODY = 'a part of an upload'
const OTHER = 'another part, sent '

/** Whether multipart uploads end when they are over, and with which words. */
export async function checkMultipart(
  tried: TriedStore,
  { maxParts }: { maxParts: number },
  report: Report,
): Promise<void> {
  const { store, finalKey, signal } = tried

  await attempt(report, 'store-part-numbers', async () => {
    const most = Math.min(maxParts, mostParts(FILE_MAX_BYTES))
    const key = finalKey()
    const uploadId = await store.createUpload(key, 'image/png', signal())
    const { status } = await putPart(tried, key, uploadId, { partNumber: most, body: BODY })
    await store.abortUpload(key, uploadId, signal())
    if (status < 300) report('store-part-numbers', 'ok', `part ${most} is accepted`)
    else
      report(
        'store-part-numbers',
        'FAIL',
        `part ${most} is refused (${status}): set S3_MAX_PARTS to the most parts that the store takes, or the largest uploads cannot be completed`,
      )
  })

  await attempt(report, 'store-part-after-completion', async () => {
    const key = finalKey()
    const uploadId = await store.createUpload(key, 'image/png', signal())
    const { etag, url } = await putPart(tried, key, uploadId, { partNumber: 1, body: BODY })
    const completed = await store.completeUpload(
      key,
      uploadId,
      [{ partNumber: 1, size: BODY.length, etag }],
      signal(),
    )
    if (completed.outcome !== 'done')
      throw new Error(`the completion was not accepted: ${completed.outcome}`, {
        cause: 'cause' in completed ? completed.cause : undefined,
      })
    const { ETag = '' } = await headObject(tried, key)
    if (/-1$/.test(plainEtag(ETag))) report('store-multipart-etag', 'ok', 'ends with the number of parts')
    else
      report(
        'store-multipart-etag',
        'warn',
        `${ETag} is not as on AWS: the service takes whatever HeadObject says`,
      )
    const late = await fetch(url, { method: 'PUT', body: bytes(OTHER), signal: signal() })
    await late.body?.cancel()
    if ((await readObject(tried, key)) !== BODY)
      report(
        'store-part-after-completion',
        'FAIL',
        'a part URL still works after completion and changes the file: for an hour whoever uploaded it can damage it',
      )
    else if (late.ok)
      report(
        'store-part-after-completion',
        'warn',
        'a part URL still takes bytes after completion; the file stays as it was',
      )
    else report('store-part-after-completion', 'ok', `a part URL is dead after completion (${late.status})`)
  })

  await attempt(report, 'store-part-after-abort', async () => {
    const key = finalKey()
    const uploadId = await store.createUpload(key, 'image/png', signal())
    const { url } = await putPart(tried, key, uploadId, { partNumber: 1, body: BODY })
    await store.abortUpload(key, uploadId, signal())
    const late = await fetch(url, { method: 'PUT', body: bytes(OTHER), signal: signal() })
    await late.body?.cancel()
    if (!late.ok) report('store-part-after-abort', 'ok', `a part URL is dead after an abort (${late.status})`)
    else
      report(
        'store-part-after-abort',
        'warn',
        'a part URL still takes bytes after an abort, uncounted, for an hour at most: watch the size of the bucket',
      )
    await reportAbsenceWords(tried, key, uploadId, report)
  })
}

/** How the store says that an upload is over. */
async function reportAbsenceWords(
  { client, bucket, signal }: TriedStore,
  key: string,
  uploadId: string,
  report: Report,
): Promise<void> {
  const upload = { Bucket: bucket, Key: key, UploadId: uploadId }
  const wordOf = (answer: Promise<unknown>) =>
    answer.then(
      () => null,
      (error: unknown) => error,
    )
  const listing = await wordOf(client.send(new ListPartsCommand(upload), { abortSignal: signal() }))
  const abort = await wordOf(client.send(new AbortMultipartUploadCommand(upload), { abortSignal: signal() }))
  const words = `ListParts: ${word(listing)}, abort: ${word(abort)}`
  if (isNoSuchUpload(listing) && (abort === null || isNoSuchUpload(abort)))
    report('store-absence-words', 'ok', words)
  else if (isNoSuchUpload(listing) || isNoSuchKey(listing))
    report('store-absence-words', 'warn', `${words}: not AWS's, but the service knows them`)
  else
    report(
      'store-absence-words',
      'FAIL',
      `${words}: the service cannot tell that an upload is over, and its quota stays reserved`,
    )
}

const word = (error: unknown) => (error === null ? 'done' : ((error as Error).name ?? describe(error)))

async function putPart(
  { store, signal }: TriedStore,
  key: string,
  uploadId: string,
  { partNumber, body }: { partNumber: number; body: string },
) {
  const { urls } = await store.presignParts(key, uploadId, [{ partNumber, size: body.length }], 60)
  const url = urls[0]!
  const answer = await fetch(url, { method: 'PUT', body: bytes(body), signal: signal() })
  await answer.body?.cancel()
  return { status: answer.status, etag: plainEtag(answer.headers.get('etag') ?? ''), url }
}

/** Bytes and not text, for which fetch would add a Content-Type: Ceph refuses one that is not signed. */
const bytes = (text: string) => new TextEncoder().encode(text)
