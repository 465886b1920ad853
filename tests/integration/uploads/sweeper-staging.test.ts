import { PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createS3Client } from '../../../src/server/adapters/s3/client.ts'
import { BUCKET, drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import type { TestUser } from '../../support/users.ts'

const LARGE = 500_000
const SMALL = 100

describe('every round of the sweeper checks staged objects', () => {
  let app: UploadApp
  let user: TestUser
  beforeAll(async () => {
    app = await startUploadApp()
    user = await app.user()
  })
  afterEach(async () => {
    app.s3.faults.reset()
    expect(await drift(app.db)).toEqual([])
  })
  afterAll(() => app?.close())

  const request = (size: number) =>
    app.ok(user, 'upload.requestUploadUrl', { filename: 'a.png', mimeType: 'image/png', size })
  const sizes = () => app.s3.requestLog.objects('staging/').map((object) => object.size)

  async function ready(size: number) {
    const created = await request(size)
    await put(created.uploadUrl, png(size), created.headers)
    await app.ok(user, 'upload.confirmUpload', { fileId: created.fileId })
    return created
  }

  test('on a store that accepts unsigned copy sources, a one-byte PUT that became a copy of a file is removed and reported', async () => {
    const { key } = await ready(LARGE)
    app.s3.faults.setQuirks({ ignoreUnsignedAmzHeaders: true })
    const copies = await Promise.all([1, 2, 3].map(() => request(1)))
    for (const { uploadUrl, headers } of copies)
      await put(uploadUrl, Buffer.from('x'), { ...headers, 'x-amz-copy-source': `/${BUCKET}/${key}` })
    expect(sizes()).toEqual([LARGE, LARGE, LARGE])
    // A confirmation that finds one also removes it at once.
    expect(
      (await app.call(user, 'upload.confirmUpload', { fileId: copies[0].fileId })).error?.message,
    ).toContain(`received ${LARGE} bytes, not 1`)
    expect(sizes()).toEqual([LARGE, LARGE])
    expect(await app.services.sweeper.sweep()).toMatchObject({ excess: 2 })
    expect(sizes()).toEqual([])
    // The copied file still exists.
    expect(app.s3.requestLog.objects(key)).toHaveLength(1)
  })

  test('objects that wait for confirmation are kept, and can be confirmed', async () => {
    const created = await request(SMALL)
    await put(created.uploadUrl, png(SMALL), created.headers)
    expect(await app.services.sweeper.sweep()).toMatchObject({ excess: 0 })
    await app.ok(user, 'upload.confirmUpload', { fileId: created.fileId })
  })

  test('bytes that arrived after confirmation, rejection or deletion are removed, and objects without a row are kept', async () => {
    const confirmed = await ready(SMALL)
    const deleted = await ready(SMALL)
    await app.ok(user, 'files.delete', { fileId: deleted.fileId })
    const rejected = await request(SMALL)
    await put(rejected.uploadUrl, Buffer.alloc(SMALL, '<html>'), rejected.headers)
    await app.call(user, 'upload.confirmUpload', { fileId: rejected.fileId })
    await app.services.sweeper.sweep()
    for (const { uploadUrl, headers } of [confirmed, deleted, rejected])
      await put(uploadUrl, png(SMALL), headers)
    const strangers = ['staging/x', `staging/${confirmed.fileId}`, `staging/${deleted.fileId}-0123`]
    const client = createS3Client(app.config.s3)
    for (const Key of strangers) await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'x' }))
    client.destroy()
    expect(await app.services.sweeper.sweep()).toMatchObject({ excess: 3 })
    expect(
      app.s3.requestLog
        .objects('staging/')
        .map(({ key }) => key)
        .sort(),
    ).toEqual(strangers.sort())
  })

  test('all staged objects are checked, page by page', async () => {
    const client = createS3Client(app.config.s3)
    for (let i = 0; i < 5; i++)
      await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: `staging/0-${i}`, Body: 'x' }))
    client.destroy()
    app.s3.faults.setQuirks({ listingPage: 3 })
    const confirmed = await ready(SMALL)
    await put(confirmed.uploadUrl, png(SMALL), confirmed.headers)
    const staged = sizes().length
    const since = app.s3.requestLog.entries().at(-1)!.seq
    expect(await app.services.sweeper.sweep()).toMatchObject({ excess: 1 })
    const listings = app.s3.requestLog.entries(since).filter(({ operation }) => operation === 'ListObjectsV2')
    expect(listings).toHaveLength(Math.ceil(staged / 3))
  })

  test('a store that cannot list does not prevent the sweeper’s other work', async () => {
    app.s3.faults.add({
      operation: 'ListObjectsV2',
      action: { kind: 'fail', code: 'AccessDenied', status: 403 },
    })
    const { fileId } = await request(SMALL)
    await app.db.query('UPDATE files SET expires_at = now() - make_interval(secs => 1) WHERE id = $1', [
      fileId,
    ])
    expect(await app.services.sweeper.sweep()).toMatchObject({ expired: 1, excess: 0, failed: 0 })
  })
})
