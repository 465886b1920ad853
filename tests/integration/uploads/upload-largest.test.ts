// A file of almost 5 TiB, which only an upload policy allows, in real parts. The parts between are copies of one object
// in the store, so that the test sends 755 MB instead of 5 TiB.

import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { MIB } from '@pigeonhole/client/limits'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUrlSigner } from '../../../src/server/adapters/s3/sign-url.ts'
import { writePolicies } from '../../support/app/policies-file.ts'
import { BUCKET, drift, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { atOnce } from '../../support/at-once.ts'

const TIB = 1024 * 1024 * MIB
const SIZE = 5 * TIB - 12_345
const PART = 525 * MIB
const PARTS = Math.ceil(SIZE / PART)
const LAST_PART = SIZE - (PARTS - 1) * PART

const policies = writePolicies({ footage: { mimeTypes: ['video/*'], maxBytes: 5 * TIB } })
let app: UploadApp
beforeAll(async () => {
  app = await startUploadApp({ UPLOAD_POLICIES_FILE: policies.path })
})
afterAll(async () => {
  await app?.close()
  policies.remove()
})

/** Streams zeros, after `head` and before `tail`. */
function zeros(length: number, { head = '', tail = '' }): Readable {
  function* chunks() {
    yield Buffer.from(head, 'latin1')
    for (let left = length - head.length - tail.length; left > 0; left -= MIB)
      yield Buffer.alloc(Math.min(MIB, left))
    yield Buffer.from(tail, 'latin1')
  }
  return Readable.from(chunks())
}

// 10,000 requests take 23 s of CPU, and minutes on a busy machine.
const TIMEOUT_MS = 1_200_000

test('a file of almost 5 TiB is planned, sent in 9,987 parts, completed, read and deleted, and counts toward the quota', {
  timeout: TIMEOUT_MS,
}, async () => {
  const user = await app.user()
  const film = { filename: 'film.mp4', mimeType: 'video/mp4', size: SIZE, policy: 'footage' }
  const { maxMultipartBytes, partBytes } = await app.ok(user, 'upload.limits', { policy: 'footage' })
  expect([maxMultipartBytes, partBytes]).toEqual([5 * TIB, PART])
  const begin = () => app.call(user, 'upload.initiateMultipart', { ...film, totalParts: PARTS })
  const { error } = await begin()
  expect([error?.code, error?.reason]).toEqual(['QUOTA_EXCEEDED', 'quota'])
  expect(error?.message).toContain(`needs ${SIZE} bytes, but your quota has only 524288000 bytes left`)

  await app.db.query('UPDATE users SET quota_bytes = $2 WHERE id = $1', [user.id, 5 * TIB])
  const { fileId, uploadId, key, partSize } = (await begin()).data
  expect(partSize).toBe(PART)
  expect(await app.ok(user, 'account.usage')).toEqual({ used: 0, reserved: SIZE, quota: 5 * TIB })

  // Every part has a URL: no call leaves one out.
  const numbers = Array.from({ length: PARTS }, (_, i) => i + 1)
  const signed = await atOnce(4, Math.ceil(PARTS / 100), async (i) => {
    const partNumbers = numbers.slice(i * 100, i * 100 + 100)
    return (await app.ok(user, 'upload.getPartUrls', { fileId, partNumbers })).parts
  })
  expect(signed.flat().map(({ partNumber }) => partNumber)).toEqual(numbers)

  // The last part is sent as a browser does, and the URL accepts neither more nor fewer bytes.
  const send = (length: number) => {
    const body = Readable.toWeb(zeros(length, { tail: 'the end' }))
    const headers = { 'content-length': String(length) }
    return fetch(signed.at(-1).at(-1).uploadUrl, {
      method: 'PUT',
      duplex: 'half',
      headers,
      body,
    } as RequestInit)
  }
  expect((await send(LAST_PART - 1)).status).toBe(403)
  const last = await send(LAST_PART)
  expect(last.status).toBe(200)
  const report = { fileId, partNumber: PARTS, etag: last.headers.get('etag') }
  expect((await app.ok(user, 'upload.completePart', report)).uploadedParts).toEqual([PARTS])

  const missing = await app.call(user, 'upload.completeMultipart', { fileId })
  expect(missing.error?.missingParts).toEqual(numbers.slice(0, -1))

  const { region, credentials } = app.config.s3
  const client = new S3Client({ endpoint: app.s3.url, forcePathStyle: true, region, credentials })
  try {
    const source = { Bucket: BUCKET, Key: 'elsewhere/part' }
    const Body = zeros(PART, { head: '\0\0\0\x18ftypmp42\0\0\0\0mp42isom' })
    await client.send(new PutObjectCommand({ ...source, Body, ContentLength: PART }))
  } finally {
    client.destroy()
  }
  const sign = createUrlSigner({
    ...{ origin: app.s3.url, pathPrefix: `/${BUCKET}/`, region, credentials: credentials! },
    ...{ date: new Date(), seconds: 3600 },
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  try {
    await atOnce(32, PARTS - 1, async (i) => {
      const headers = { 'x-amz-copy-source': `${BUCKET}/elsewhere/part` }
      const query = { uploadId, partNumber: String(i + 1) }
      const copy = request(sign({ method: 'PUT', key, headers, query }), {
        method: 'PUT',
        headers,
        agent,
      }).end()
      const [response] = (await once(copy, 'response')) as [IncomingMessage]
      const text = Buffer.concat(await response.toArray()).toString()
      // A store can report an error after the status 200.
      if (response.statusCode !== 200 || !text.includes('<CopyPartResult')) throw new Error(text)
    })
  } finally {
    agent.destroy()
  }

  const status = await app.ok(user, 'upload.status', { fileId })
  expect(status.uploadedParts).toHaveLength(PARTS)
  expect(status.parts.map(({ size }: { size: number }) => size)).toEqual(
    numbers.map((n) => (n === PARTS ? LAST_PART : PART)),
  )
  const { file } = await app.ok(user, 'upload.completeMultipart', { fileId })
  expect(file).toMatchObject({ id: fileId, filename: 'film.mp4' })
  expect(await app.ok(user, 'account.usage')).toEqual({ used: SIZE, reserved: 0, quota: 5 * TIB })
  expect((await app.ok(user, 'files.list')).items).toMatchObject([{ id: fileId, size: SIZE, state: 'READY' }])

  const { url } = await app.ok(user, 'files.downloadUrl', { fileId })
  const range = async (first: number, lastByte: number) =>
    Buffer.from(
      await (await fetch(url, { headers: { range: `bytes=${first}-${lastByte}` } })).arrayBuffer(),
    ).toString('latin1')
  expect(await range(SIZE - 7, SIZE - 1)).toBe('the end')
  expect((await range(5000 * PART, 5000 * PART + 7)).slice(4)).toBe('ftyp')

  await app.ok(user, 'files.delete', { fileId })
  expect((await app.ok(user, 'account.usage')).used).toBe(0)
  expect(await drift(app.db)).toEqual([])
})
