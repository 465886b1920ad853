import { CopyObjectCommand } from '@aws-sdk/client-s3'
import { httpStatusOf } from '../adapters/s3/errors.ts'
import { fetchStatus, timeLimit } from './peer.ts'
import { attempt, fail, ok, type Report, warn } from './report.ts'
import {
  headObject,
  putObject,
  putPart,
  putSigned,
  readObject,
  type StoreUnderTest,
} from './store-under-test.ts'

const BODY = 'body of a presigned PUT'
/** Differs from BODY in length, so that a list of parts shows which of the two was stored. */
const COPY_SOURCE = 'an object that the holder of a presigned URL must not read'

/** Checks what a presigned PUT permits, and how the store handles reads and copies. */
export async function checkSignedPuts(underTest: StoreUnderTest, report: Report): Promise<void> {
  const { store, stagingKey, client, bucket } = underTest

  await attempt(report, 'store-signed-length', async () => {
    const { status } = await putSigned(underTest, `${BODY} and more`, { size: BODY.length })
    return status >= 400
      ? ok(`rejects more bytes than signed (${status})`)
      : fail('accepts more bytes than signed, so anyone with a URL can exceed the quota: use another store')
  })

  await attempt(report, 'store-signed-type', async () => {
    const { status } = await putSigned(underTest, BODY, { headers: { 'content-type': 'text/html' } })
    return status >= 400
      ? ok(`rejects a type that was not signed (${status})`)
      : warn(
          'accepts a type that was not signed, but only for staged bytes: confirmation sets the declared type',
        )
  })

  await attempt(report, 'store-unsigned-acl', async () => {
    const { status, url } = await putSigned(underTest, BODY, { headers: { 'x-amz-acl': 'public-read' } })
    if (status >= 400) return ok(`rejects an unsigned x-amz-acl (${status})`)
    const anonymous = await fetchStatus(url.split('?')[0]!)
    return anonymous.ok
      ? warn(
          'an unsigned x-amz-acl makes staged bytes public, never files: block public access on the bucket',
        )
      : ok('an unsigned x-amz-acl has no effect')
  })

  await attempt(report, 'store-unsigned-copy-source', async () => {
    const headers = { 'x-amz-copy-source': `/${bucket}/${await putObject(underTest, COPY_SOURCE)}` }
    const { status, key } = await putSigned(underTest, BODY, { headers })
    const isCopied = status < 400 && (await readObject(underTest, key)) !== BODY
    const isPartCopied = await copiesToPart(underTest, headers)
    if (!isCopied && !isPartCopied) return ok('an unsigned x-amz-copy-source reads nothing')
    const copied = isCopied && isPartCopied ? 'a PUT and a part' : isCopied ? 'a PUT' : 'a part'
    return fail(
      `an unsigned x-amz-copy-source turns ${copied} into a copy of any object whose key is known: run npm run bucket:setup, or set S3_UPLOAD_ACCESS_KEY_ID and S3_UPLOAD_SECRET_ACCESS_KEY to a credential that can write but not read`,
    )
  })

  await attempt(report, 'store-unsigned-metadata', async () => {
    const headers = { 'x-amz-meta-doctor': 'unsigned' }
    const { status, key } = await putSigned(underTest, BODY, { headers })
    if (status >= 400) return ok(`rejects an unsigned x-amz-meta-* (${status})`)
    return (await headObject(underTest, key)).Metadata?.doctor === undefined
      ? ok('an unsigned x-amz-meta-* has no effect')
      : warn('stores an unsigned x-amz-meta-* with staged bytes, but never with files')
  })

  await attempt(report, 'store-checksums', async () => {
    const key = await putObject(underTest, BODY)
    return (await readObject(underTest, key)) === BODY
      ? ok('a PUT without a checksum arrives intact')
      : fail('a GET returns bytes that differ from those PUT: check the proxies in front of the store')
  })

  await attempt(report, 'store-response-disposition', async () => {
    const key = await putObject(underTest, BODY)
    const contentDisposition = 'attachment; filename="doctor.png"'
    const { url } = await store.presignGet(key, { contentType: 'image/png', contentDisposition }, 60)
    const { headers } = await fetchStatus(url)
    return headers.get('content-disposition') === contentDisposition
      ? ok('honors response-content-disposition')
      : warn('ignores response-content-disposition, so downloads are named after the key')
  })

  await attempt(report, 'store-copy-condition', async () => {
    const source = await putObject(underTest, BODY)
    const copy = new CopyObjectCommand({
      Bucket: bucket,
      Key: stagingKey(),
      CopySource: `${bucket}/${source}`,
      CopySourceIfMatch: `"${'0'.repeat(32)}"`,
    })
    try {
      await client.send(copy, { abortSignal: timeLimit() })
      return warn('ignores x-amz-copy-source-if-match, so the service checks the copy instead')
    } catch (error) {
      if (httpStatusOf(error) !== 412) throw error
      return ok('honors x-amz-copy-source-if-match')
    }
  })
}

/** Returns whether a presigned PUT of a part with these headers stores anything but its body. */
async function copiesToPart(underTest: StoreUnderTest, headers: Record<string, string>): Promise<boolean> {
  const { store, finalKey } = underTest
  const key = finalKey()
  const uploadId = await store.createUpload(key, { contentType: 'image/png' }, timeLimit())
  try {
    const { urls } = await store.presignParts(key, uploadId, [{ partNumber: 1, size: BODY.length }], 60)
    const response = await putPart(urls[0]!, BODY, headers)
    // Listings can lag behind, but the response to a copy says that it is one.
    const isCopy = (await response.text()).includes('CopyPartResult')
    const parts = response.ok ? await store.listParts(key, uploadId, timeLimit()) : null
    return isCopy || (parts?.some(({ size }) => size !== BODY.length) ?? false)
  } finally {
    await store.abortUpload(key, uploadId, timeLimit())
  }
}
