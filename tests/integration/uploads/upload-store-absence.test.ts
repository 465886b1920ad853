import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import type { TestUser } from '../../support/users.ts'

const SIZE = 3000
const input = { filename: 'a.png', mimeType: 'image/png', size: SIZE }

/** Responds instead of the store, unless it returns null. */
type Gateway = (method: string, url: string) => { status: number; body: string } | null

/** Starts a proxy in front of the store, which forwards everything unless `answer` returns a response. */
async function startGateway(target: () => string): Promise<{ server: Server; answer: Gateway }> {
  const gateway = { server: createServer(), answer: (() => null) as Gateway }
  gateway.server.on('request', (asked, answer) => {
    const own = gateway.answer(asked.method!, asked.url!)
    if (own) {
      asked.resume()
      answer.writeHead(own.status, { 'content-length': Buffer.byteLength(own.body) })
      answer.end(asked.method === 'HEAD' ? undefined : own.body)
      return
    }
    const { method, headers } = asked
    const passedOn = request(target() + asked.url, { method, headers, setHost: false }, (from) => {
      answer.writeHead(from.statusCode!, from.headers)
      from.pipe(answer)
    })
    asked.pipe(passedOn)
  })
  await new Promise<void>((resolve) => gateway.server.listen(0, '127.0.0.1', resolve))
  return gateway
}

describe('a 404 counts only with the store’s own error code', () => {
  let app: UploadApp
  let gateway: Awaited<ReturnType<typeof startGateway>>
  let user: TestUser
  beforeAll(async () => {
    gateway = await startGateway(() => app.s3.url)
    const { port } = gateway.server.address() as AddressInfo
    app = await startUploadApp({ S3_ENDPOINT: `http://127.0.0.1:${port}` })
    user = await app.user()
  })
  afterEach(async () => {
    gateway.answer = () => null
    expect(await drift(app.db)).toEqual([])
  })
  afterAll(async () => {
    await app.close()
    gateway.server.close()
  })

  async function staged() {
    const created = await app.ok(user, 'upload.requestUploadUrl', input)
    expect((await put(created.uploadUrl, png(SIZE), created.headers)).status).toBe(200)
    return created
  }

  const code = async (procedure: string, fileId: string) =>
    (await app.call(user, procedure, { fileId })).error?.code

  /** Imitates a rejected simple upload whose URL has expired, so that the sweeper can release its quota. */
  async function due(fileId: string) {
    await app.db.query(
      `WITH ended AS (
         UPDATE users SET open_uploads = open_uploads - 1
         FROM files WHERE files.id = $1 AND files.state = 'PENDING' AND users.id = files.user_id
       )
       UPDATE files SET state = 'REJECTED', expires_at = NULL, cleanup_after = now() - make_interval(secs => 1),
         url_expires_at = now() - interval '61 seconds' WHERE id = $1`,
      [fileId],
    )
  }

  test.each([
    ['the bucket is missing', '<Error><Code>NoSuchBucket</Code><Message>no</Message></Error>'],
    ['a gateway is misconfigured', '<html><body>404 page not found</body></html>'],
    ['a gateway sends no body', ''],
  ])('%s: the call fails, and no bytes count as removed', async (_, body) => {
    const [empty, full, ready, rejected] = [
      await app.ok(user, 'upload.requestUploadUrl', input),
      await staged(),
      await staged(),
      await staged(),
    ]
    await app.ok(user, 'upload.confirmUpload', { fileId: ready.fileId })
    const multi = await app.ok(user, 'upload.initiateMultipart', { ...input, totalParts: 1 })
    await due(rejected.fileId)
    const before = await app.ok(user, 'account.usage')

    gateway.answer = () => ({ status: 404, body })
    for (const { fileId } of [empty, full])
      expect(await code('upload.confirmUpload', fileId)).toBe('INTERNAL_SERVER_ERROR')
    for (const procedure of ['upload.completeMultipart', 'upload.abortMultipart', 'upload.status'])
      expect(await code(procedure, multi.fileId)).toBe('INTERNAL_SERVER_ERROR')
    expect(await code('files.delete', ready.fileId)).toBe('INTERNAL_SERVER_ERROR')
    expect((await app.services.sweeper.sweep()).cleaned).toBe(0)
    const { used, reserved } = await app.ok(user, 'account.usage')
    expect(used + reserved).toBe(before.used + before.reserved)

    gateway.answer = () => null
    expect(await code('upload.confirmUpload', empty.fileId)).toBe('BAD_REQUEST')
    await app.ok(user, 'upload.confirmUpload', { fileId: full.fileId })
    await app.ok(user, 'upload.abortMultipart', { fileId: multi.fileId })
    await app.db.query(
      'UPDATE files SET cleanup_after = now() - make_interval(secs => 1) WHERE cleanup_after IS NOT NULL',
    )
    await app.services.sweeper.sweep()
    for (const { key } of [ready, rejected]) expect(app.s3.requestLog.objects(key)).toEqual([])
    for (const { fileId } of [empty, full]) await app.ok(user, 'files.delete', { fileId })
  })

  test('a copy that appears between HEAD and GET is found', async () => {
    const { fileId } = await staged()
    let heads = 0
    gateway.answer = (method) => (method === 'HEAD' && heads++ === 0 ? { status: 404, body: '' } : null)
    await app.ok(user, 'upload.confirmUpload', { fileId })
    expect(heads).toBe(1)
  })

  test('an object that the response to DeleteObjects does not name counts as not removed', async () => {
    const rejected = await Promise.all([staged(), staged(), staged()])
    // Ignore objects left by earlier tests.
    await app.services.sweeper.sweep()
    for (const { fileId } of rejected) await due(fileId)
    const { reserved } = await app.ok(user, 'account.usage')
    // Two batches can share the rows, and a batch of few objects sends one DELETE for each.
    gateway.answer = (method, url) => {
      if (method === 'POST' && url.includes('delete')) return { status: 200, body: '<DeleteResult/>' }
      return method === 'DELETE' ? { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' } : null
    }
    expect((await app.services.sweeper.sweep()).failed).toBe(3)
    expect((await app.ok(user, 'account.usage')).reserved).toBe(reserved)

    gateway.answer = () => null
    for (const { fileId } of rejected) await due(fileId)
    await app.services.sweeper.sweep()
    expect((await app.ok(user, 'account.usage')).reserved).toBe(reserved - 3 * SIZE)
  })
})
