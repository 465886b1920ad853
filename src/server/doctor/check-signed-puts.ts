import { CopyObjectCommand } from '@aws-sdk/client-s3'
import { httpStatusOf } from '../s3/errors.ts'
import { attempt, describe, type Report } from './finding.ts'
import { headObject, putObject, readObject, type TriedStore } from './tried-store.ts'

const BODY = 'body of a presigned PUT'

/** What a presigned PUT lets its holder do, and what a GET and a copy do. */
export async function checkSignedPuts(tried: TriedStore, report: Report): Promise<void> {
  const { store, stagingKey, signal, client, bucket } = tried

  await attempt(report, 'store-signed-length', async () => {
    const { status } = await sign(tried, BODY.length).put(`${BODY} and more`)
    if (status >= 400)
      report('store-signed-length', 'ok', `more bytes than were signed are refused (${status})`)
    else
      report(
        'store-signed-length',
        'FAIL',
        'more bytes than were signed are accepted: whoever holds a URL can store more than the quota',
      )
  })

  await attempt(report, 'store-signed-type', async () => {
    const { status } = await sign(tried, BODY.length).put(BODY, { 'content-type': 'text/html' })
    if (status >= 400)
      report('store-signed-type', 'ok', `another type than was signed is refused (${status})`)
    else
      report(
        'store-signed-type',
        'warn',
        'another type than was signed is accepted: only for staged bytes, since files get the declared type when they are confirmed',
      )
  })

  await attempt(report, 'store-unsigned-acl', async () => {
    const { status, url } = await sign(tried, BODY.length).put(BODY, { 'x-amz-acl': 'public-read' })
    const anonymous = status < 400 ? await fetch(url.split('?')[0]!, { signal: signal() }) : undefined
    await anonymous?.body?.cancel()
    if (status >= 400) report('store-unsigned-acl', 'ok', `an unsigned x-amz-acl is refused (${status})`)
    else if (!anonymous?.ok) report('store-unsigned-acl', 'ok', 'an unsigned x-amz-acl has no effect')
    else
      report(
        'store-unsigned-acl',
        'warn',
        'an unsigned x-amz-acl makes staged bytes public until they are removed, never the file: block public access on the bucket',
      )
  })

  await attempt(report, 'store-unsigned-copy-source', async () => {
    const source = stagingKey()
    await putObject(tried, source, 'copied from another key')
    const { status, key } = await sign(tried, BODY.length).put(BODY, {
      'x-amz-copy-source': `/${bucket}/${source}`,
    })
    if (status >= 400)
      report('store-unsigned-copy-source', 'ok', `an unsigned x-amz-copy-source is refused (${status})`)
    else if ((await readObject(tried, key)) === BODY)
      report('store-unsigned-copy-source', 'ok', 'an unsigned x-amz-copy-source has no effect')
    else
      report(
        'store-unsigned-copy-source',
        'warn',
        'an unsigned x-amz-copy-source turns a PUT into a copy of any object whose key is known: keys hold 128 random bits; keep nothing else in this bucket, and update the store',
      )
  })

  await attempt(report, 'store-unsigned-metadata', async () => {
    const { status, key } = await sign(tried, BODY.length).put(BODY, { 'x-amz-meta-doctor': 'unsigned' })
    if (status >= 400)
      report('store-unsigned-metadata', 'ok', `an unsigned x-amz-meta-* is refused (${status})`)
    else if ((await headObject(tried, key)).Metadata?.doctor === undefined)
      report('store-unsigned-metadata', 'ok', 'an unsigned x-amz-meta-* has no effect')
    else
      report(
        'store-unsigned-metadata',
        'warn',
        'an unsigned x-amz-meta-* is stored with staged bytes; files carry only what the service gives them',
      )
  })

  await attempt(report, 'store-checksums', async () => {
    const key = stagingKey()
    await putObject(tried, key, BODY)
    if ((await readObject(tried, key)) === BODY)
      report('store-checksums', 'ok', 'a PUT without a checksum arrives whole')
    else report('store-checksums', 'FAIL', 'what was PUT is not what is read')
  })

  await attempt(report, 'store-response-disposition', async () => {
    const key = stagingKey()
    await putObject(tried, key, BODY)
    const wanted = 'attachment; filename="doctor.png"'
    const { url } = await store.presignGet(key, { contentType: 'image/png', contentDisposition: wanted }, 60)
    const answer = await fetch(url, { signal: signal() })
    await answer.body?.cancel()
    if (answer.headers.get('content-disposition') === wanted)
      report('store-response-disposition', 'ok', 'response-content-disposition is obeyed')
    else
      report(
        'store-response-disposition',
        'warn',
        'response-content-disposition is ignored: downloads do not have the name of the file',
      )
  })

  await attempt(report, 'store-copy-condition', async () => {
    const source = stagingKey()
    await putObject(tried, source, BODY)
    const copy = new CopyObjectCommand({
      Bucket: bucket,
      Key: stagingKey(),
      CopySource: `${bucket}/${source}`,
      CopySourceIfMatch: `"${'0'.repeat(32)}"`,
    })
    const refused = await client.send(copy, { abortSignal: signal() }).then(
      () => null,
      (error: unknown) => error,
    )
    if (refused === null)
      report(
        'store-copy-condition',
        'warn',
        'a copy of another version than the one asked for is made: the copy is looked at instead',
      )
    else if (httpStatusOf(refused) === 412)
      report('store-copy-condition', 'ok', 'the copy condition is honoured')
    else report('store-copy-condition', 'FAIL', `a copy fails: ${describe(refused)}`)
  })
}

/** A presigned PUT of a new staging key for `size` bytes of a PNG. */
function sign({ store, stagingKey, signal }: TriedStore, size: number) {
  const key = stagingKey()
  return {
    async put(body: string, headers: Record<string, string> = {}) {
      const { url } = await store.presignPut(key, 'image/png', size, { seconds: 60 })
      const answer = await fetch(url, {
        method: 'PUT',
        body,
        headers: { 'content-type': 'image/png', ...headers },
        signal: signal(),
      })
      await answer.body?.cancel()
      return { status: answer.status, key, url }
    },
  }
}
