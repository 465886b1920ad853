import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { DIALECTS } from '@pigeonhole/emulators/s3'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createS3Client } from '../../../src/server/adapters/s3/client.ts'
import { BUCKET, drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

const MIB = 1024 * 1024
const PART = 5 * MIB
const SIZE = PART + 1000
const PASSWORD = 'a long enough password'

/** Two parts. Tests that need no second one use one small part, because 5 MiB take 0.1 s of CPU. */
const TWO_PARTS = { size: SIZE, totalParts: 2 }
const ONE_PART = { size: 1000, totalParts: 1 }

type Begun = { fileId: string; uploadId: string; key: string; size: number; totalParts: number }

// Tests on every store what upload-multipart, files-list-delete, upload-crash and sweeper-expiry test on AWS.
describe.each(DIALECTS)('on a store that behaves like %s', (dialect) => {
  let app: UploadApp
  let client: S3Client
  let user: TestUser
  beforeAll(async () => {
    app = await startUploadApp({}, { dialect })
    client = createS3Client(app.config.s3)
  })
  afterEach(async () => {
    app.s3.faults.reset()
    expect(await drift(app.db)).toEqual([])
  })
  afterAll(async () => {
    client?.destroy()
    await app?.close()
  })

  const bytes = png(SIZE, 3)
  const partOf = ({ size }: Begun, partNumber: number) =>
    bytes.subarray((partNumber - 1) * PART, Math.min(size, partNumber * PART))

  /** Starts an upload of `owner`, by default a new user. */
  async function begin(parts = ONE_PART, owner?: TestUser): Promise<Begun> {
    user = owner ?? (await app.user({ password: PASSWORD }))
    const input = { filename: 'a.png', mimeType: 'image/png', ...parts }
    return { ...parts, ...(await app.ok(user, 'upload.initiateMultipart', input)) }
  }

  async function send(file: Begun, partNumber: number, record = false) {
    const { fileId } = file
    const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId, partNumber })
    const answer = await put(uploadUrl, partOf(file, partNumber))
    expect(answer.status).toBe(200)
    const etag = answer.headers.get('etag')!
    if (record) await app.ok(user, 'upload.completePart', { fileId, partNumber, etag })
    return { PartNumber: partNumber, ETag: etag, uploadUrl }
  }

  async function sendAll(file: Begun) {
    const sent = []
    for (let n = 1; n <= file.totalParts; n++) sent.push(await send(file, n))
    return sent
  }

  /** Imitates a server that is killed before it writes READY. */
  async function completeInStore(file: Begun) {
    const Parts = (await sendAll(file)).map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
    const upload = { Bucket: BUCKET, Key: file.key, UploadId: file.uploadId }
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
  }

  const abortInStore = (file: Begun) =>
    client.send(new AbortMultipartUploadCommand({ Bucket: BUCKET, Key: file.key, UploadId: file.uploadId }))
  const usage = () => app.ok(user, 'account.usage')
  const status = ({ fileId }: Begun) => app.ok(user, 'upload.status', { fileId })

  /** Returns whether a download has the file's bytes, or 'nothing' if the store rejects it. */
  async function served({ fileId, size }: Begun) {
    const { url } = await app.ok(user, 'files.downloadUrl', { fileId })
    const answer = await fetch(url)
    const body = Buffer.from(await answer.arrayBuffer())
    return answer.status === 200 ? body.equals(bytes.subarray(0, size)) : 'nothing'
  }

  async function expectNothingLeft(file: Begun) {
    expect(await usage()).toMatchObject({ used: 0, reserved: 0 })
    expect(app.s3.requestLog.bytesStored(file.key)).toBe(0)
    expect(app.s3.requestLog.uploads(file.key)).toEqual([])
  }

  async function expire(file: Begun) {
    await app.db.query('UPDATE files SET expires_at = now() - make_interval(secs => 1) WHERE id = $1', [
      file.fileId,
    ])
    return app.services.sweeper.sweep()
  }

  /** Lets the hour pass after which the sweeper looks for late parts. */
  async function lookAgain(file: Begun) {
    await app.db.query(
      `UPDATE files SET ended_at = ended_at - interval '1 hour', cleanup_after = now() - make_interval(secs => 1)
       WHERE id = $1`,
      [file.fileId],
    )
    return app.services.sweeper.sweep()
  }

  test('parts that were just sent, recorded or not, are found, and missing ones are reported', async () => {
    const file = await begin(TWO_PARTS)
    await send(file, 1)
    const early = await app.call(user, 'upload.completeMultipart', { fileId: file.fileId })
    expect(early.error).toMatchObject({ code: 'BAD_REQUEST', missingParts: [2] })
    await send(file, 2, true)
    expect((await app.ok(user, 'upload.completeMultipart', { fileId: file.fileId })).success).toBe(true)
    expect(await status(file)).toMatchObject({ state: 'READY', uploadedParts: [1, 2] })
  })

  test('the latest version of a part counts', async () => {
    const file = await begin()
    const { uploadUrl } = await send(file, 1)
    await until('the part is listed', async () => (await status(file)).uploadedParts.includes(1))
    await put(uploadUrl, png(file.size, 9))
    await send(file, 1, true)
    await app.ok(user, 'upload.completeMultipart', { fileId: file.fileId })
    expect(await served(file)).toBe(true)
  })

  test.each(['upload.abortMultipart', 'files.delete'])(
    '%s ends an unfinished upload, even if repeated',
    async (procedure) => {
      const file = await begin()
      await sendAll(file)
      for (let i = 0; i < 2; i++)
        expect(await app.ok(user, procedure, { fileId: file.fileId })).toEqual({ success: true })
      await expectNothingLeft(file)
      expect(await lookAgain(file)).toMatchObject({ failed: 0 })
    },
  )

  test.each(['upload.abortMultipart', 'files.delete'])(
    '%s after a crash between completion and READY removes the object and releases the quota',
    async (procedure) => {
      const file = await begin()
      await completeInStore(file)
      expect(await app.ok(user, procedure, { fileId: file.fileId })).toEqual({ success: true })
      await expectNothingLeft(file)
      expect(await lookAgain(file)).toMatchObject({ failed: 0 })
    },
  )

  test('upload.completeMultipart after a crash between completion and READY finds the file', async () => {
    const file = await begin(TWO_PARTS)
    await completeInStore(file)
    expect((await status(file)).uploadedParts).toEqual([1, 2])
    for (let i = 0; i < 2; i++) await app.ok(user, 'upload.completeMultipart', { fileId: file.fileId })
    expect(await usage()).toMatchObject({ used: SIZE, reserved: 0 })
    expect(await served(file)).toBe(true)
    await app.ok(user, 'files.delete', { fileId: file.fileId })
    await expectNothingLeft(file)
  })

  test.each([
    ['sent', sendAll],
    ['completed before a crash', completeInStore],
    ['aborted by the store', abortInStore],
  ])('an upload that was %s expires, and its quota is released at once', async (_, prepare) => {
    const file = await begin()
    await prepare(file)
    expect(await expire(file)).toMatchObject({ expired: 1, cleaned: 1, failed: 0 })
    await expectNothingLeft(file)
    expect(await lookAgain(file)).toMatchObject({ cleaned: 1, failed: 0 })
  })

  test('if the store has lost an upload, the status reports it, completion fails, and its quota is released', async () => {
    const file = await begin()
    await sendAll(file)
    await abortInStore(file)
    expect(await status(file)).toMatchObject({ state: 'UPLOADING', uploadedParts: [] })
    for (let i = 0; i < 2; i++) {
      const { error } = await app.call(user, 'upload.completeMultipart', { fileId: file.fileId })
      expect(error).toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining('has neither this upload nor a finished file'),
      })
    }
    await expectNothingLeft(file)
  })

  test('a part URL used after completion never changes the content of a READY file, and the file can be deleted', async () => {
    const file = await begin()
    const { uploadUrl } = await send(file, 1)
    await app.ok(user, 'upload.completeMultipart', { fileId: file.fileId })
    // Swift accepts the part and then serves no bytes. The other stores reject it.
    expect((await put(uploadUrl, png(file.size, 9))).status).toBe(dialect === 'swift' ? 200 : 404)
    expect(await served(file)).toBe(dialect === 'swift' ? 'nothing' : true)
    // The correct bytes repair the file, so a late retry does no harm.
    await put(uploadUrl, partOf(file, 1))
    expect(await served(file)).toBe(true)
    await app.ok(user, 'files.delete', { fileId: file.fileId })
    await expectNothingLeft(file)
  })

  test('a part in flight during an abort reserves no quota; only Swift keeps its bytes, where no call finds them', async () => {
    const file = await begin(TWO_PARTS)
    const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId: file.fileId, partNumber: 1 })
    const headers = { 'content-length': String(PART), expect: '100-continue' }
    const part = request(uploadUrl, { method: 'PUT', headers })
    part.flushHeaders()
    // When the store requests the bytes, it has found the upload.
    await once(part, 'continue')
    await app.ok(user, 'upload.abortMultipart', { fileId: file.fileId })
    part.end(partOf(file, 1))
    const [answer] = (await once(part, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(dialect === 'swift' ? 200 : 404)
    expect(await lookAgain(file)).toMatchObject({ cleaned: 1, failed: 0 })
    expect(await usage()).toMatchObject({ used: 0, reserved: 0 })
    expect(app.s3.requestLog.bytesStored(file.key)).toBe(dialect === 'swift' ? PART : 0)
  })

  test('deletes an account with unfinished, completed and lost uploads', async () => {
    const [sent, completed, lost] = [await begin(), await begin(ONE_PART, user), await begin(ONE_PART, user)]
    await sendAll(sent)
    await completeInStore(completed)
    await abortInStore(lost)
    await app.ok(user, 'account.delete', { password: PASSWORD })
    for (const file of [sent, completed, lost]) {
      expect(app.s3.requestLog.bytesStored(file.key)).toBe(0)
      expect(await lookAgain(file)).toMatchObject({ failed: 0 })
    }
    await app.services.accountDeletion.resume()
    expect((await app.db.query('SELECT 1 FROM users WHERE id = $1', [user.id])).rows).toEqual([])
  })
})
