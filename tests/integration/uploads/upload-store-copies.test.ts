import type { FaultRule } from '@pigeonhole/emulators/s3'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import type { TestUser } from '../../support/users.ts'

const SIZE = 5000
const input = { filename: 'a.png', mimeType: 'image/png', size: SIZE }

describe('the copy of a confirmation, on a store', () => {
  let app: UploadApp
  let user: TestUser
  beforeAll(async () => {
    app = await startUploadApp()
    user = await app.user()
  })
  afterEach(async () => {
    app.s3.faults.reset()
    app.s3.faults.release()
    app.s3.faults.setQuirks({ ignoreCopySourceIfMatch: false })
    expect(await drift(app.db)).toEqual([])
  })
  afterAll(() => app?.close())

  async function staged() {
    const created = await app.ok(user, 'upload.requestUploadUrl', input)
    await put(created.uploadUrl, png(SIZE), created.headers)
    return created
  }

  const rule = (
    operation: FaultRule['operation'],
    action: FaultRule['action'],
    more: Partial<FaultRule> = {},
  ) => app.s3.faults.add({ operation, action, ...more })

  async function content(fileId: string): Promise<Buffer> {
    const { url } = await app.ok(user, 'files.downloadUrl', { fileId })
    return Buffer.from(await (await fetch(url)).arrayBuffer())
  }

  test('that copies slowly: the confirmation waits for the copy in one request', async () => {
    const { fileId, key } = await staged()
    rule('CopyObject', { kind: 'latency', ms: 11_000 })
    app.s3.requestLog.clear()
    await app.ok(user, 'upload.confirmUpload', { fileId })
    const asked = app.s3.requestLog.entries().filter((entry) => entry.operation === 'CopyObject')
    expect(asked.map((entry) => entry.key)).toEqual([key])
  })

  test('that never responds in time: a later confirmation finds the copy, so no file stays unconfirmed', async () => {
    const { fileId } = await staged()
    rule('CopyObject', { kind: 'drop', point: 'after' })
    await app.ok(user, 'upload.confirmUpload', { fileId })
    expect((await content(fileId)).equals(png(SIZE))).toBe(true)
    // The metrics still count it as failed.
    expect(await app.services.metrics.text()).toMatch(
      /store_call_duration_seconds_count\{operation="copy",outcome="failed"\} 1\n/,
    )
  })

  test('that fails to copy: the copy of an earlier confirmation with other bytes is not used', async () => {
    const { fileId, key, uploadUrl, headers } = await staged()
    rule('HeadObject', { kind: 'fail', code: 'InternalError' }, { keyPrefix: 'files/' })
    expect((await app.call(user, 'upload.confirmUpload', { fileId })).error?.code).toBe(
      'INTERNAL_SERVER_ERROR',
    )
    app.s3.faults.reset()
    expect(app.s3.requestLog.objects(key)).toHaveLength(1)

    await put(uploadUrl, png(SIZE, 99), headers)
    rule('CopyObject', { kind: 'fail', code: 'InternalError' })
    expect((await app.call(user, 'upload.confirmUpload', { fileId })).error?.code).toBe(
      'INTERNAL_SERVER_ERROR',
    )
    app.s3.faults.reset()
    await app.ok(user, 'upload.confirmUpload', { fileId })
    expect((await content(fileId)).equals(png(SIZE, 99))).toBe(true)
  })

  describe.each([
    ['honours', false],
    ['ignores', true],
  ])('that %s CopySourceIfMatch, while bytes are replaced between the check and the copy', (_, ignores) => {
    async function confirmWhile(replacement: Buffer) {
      app.s3.faults.setQuirks({ ignoreCopySourceIfMatch: ignores })
      const created = await staged()
      rule('CopyObject', { kind: 'hold', name: created.fileId }, { first: 1 })
      const confirmation = app.call(user, 'upload.confirmUpload', { fileId: created.fileId })
      await app.s3.faults.waitForHeld(created.fileId)
      expect((await put(created.uploadUrl, replacement, created.headers)).status).toBe(200)
      app.s3.faults.release()
      return { created, answer: await confirmation }
    }

    test('bytes of a forbidden type never become a file', async () => {
      const { created, answer } = await confirmWhile(Buffer.alloc(SIZE, '<script>x</script>'))
      expect(answer.error?.code).toBe('BAD_REQUEST')
      expect(app.s3.requestLog.objects(created.key)).toEqual([])
      expect((await app.ok(user, 'upload.status', { fileId: created.fileId })).state).toBe('REJECTED')
    })

    test('bytes of another allowed type become a complete file', async () => {
      const { created, answer } = await confirmWhile(png(SIZE, 99))
      expect(answer.data.success).toBe(true)
      expect((await content(created.fileId)).equals(png(SIZE, 99))).toBe(true)
    })
  })
})
