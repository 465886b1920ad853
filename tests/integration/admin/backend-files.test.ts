// The files of all users, for administrators and an app's backend.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApiServer } from '../../support/app/api-server.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import type { TestUser } from '../../support/users.ts'

let app: UploadApp
let server: { url: string; close(): void }
beforeAll(async () => {
  app = await startUploadApp()
  server = await startApiServer(app)
})
afterAll(async () => {
  server?.close()
  await app?.close()
})

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(`${server.url}/api/admin/${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_SECRET}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

const photo = { filename: 'a.png', mimeType: 'image/png', size: 1000 }

async function ready(user: TestUser): Promise<string> {
  const { fileId, uploadUrl, headers } = await app.ok(user, 'upload.requestUploadUrl', photo)
  await put(uploadUrl, png(1000), headers)
  await app.ok(user, 'upload.confirmUpload', { fileId })
  return fileId
}

const idsOf = ({ body }: { body: { items: { id: string }[] } }) => body.items.map(({ id }) => id)

test('lists files by user, external ID and state, in pages, newest first, without deleted ones', async () => {
  const externalId = `customer-${randomUUID()}`
  const { body: token } = await call('POST', 'user-tokens', { externalId })
  const user = { headers: { authorization: `Bearer ${token.token}` } } as unknown as TestUser
  const other = await app.user()
  const [first, second] = [await ready(user), await ready(user)]
  const others = await ready(other)
  const { fileId: pending } = await app.ok(user, 'upload.requestUploadUrl', photo)
  const gone = await ready(user)
  await app.ok(user, 'files.delete', { fileId: gone })

  expect(idsOf(await call('GET', 'files'))).toEqual([pending, others, second, first])
  expect(idsOf(await call('GET', `files?userId=${token.userId}`))).toEqual([pending, second, first])
  expect(idsOf(await call('GET', `files?externalId=${externalId}&state=READY`))).toEqual([second, first])
  expect(idsOf(await call('GET', 'files?state=PENDING'))).toEqual([pending])
  expect(idsOf(await call('GET', 'files?state=READY'))).toEqual([others, second, first])
  expect(idsOf(await call('GET', 'files?state=REJECTED'))).toEqual([])
  for (const query of ['userId=x', `userId=${randomUUID()}`, 'externalId=unknown'])
    expect(idsOf(await call('GET', `files?${query}`))).toEqual([])

  const page = await call('GET', `files?userId=${token.userId}&limit=2`)
  expect(idsOf(page)).toEqual([pending, second])
  const next = await call('GET', `files?userId=${token.userId}&limit=2&cursor=${page.body.nextCursor}`)
  expect([idsOf(next), next.body.nextCursor]).toEqual([[first], null])

  const { body } = await call('GET', `files/${first}`)
  expect(body).toEqual({
    id: first,
    userId: token.userId,
    externalId,
    ...photo,
    state: 'READY',
    key: expect.stringContaining(first),
    policy: null,
    data: null,
    visibility: 'private',
    url: `http://app.test/files/${first}`,
    createdAt: expect.any(String),
    readyAt: expect.any(String),
    expiresAt: null,
  })
  const unfinished = await call('GET', `files/${pending}`)
  expect(unfinished.body).toMatchObject({ url: null, readyAt: null, expiresAt: expect.any(String) })
  expect((await call('GET', `files/${gone}`)).status).toBe(404)
})

test.each(['stat=READY', 'state=ready', 'limit=0', 'cursor=x', 'userId=x&externalId=y'])(
  'rejects ?%s',
  async (query) => {
    expect((await call('GET', `files?${query}`)).status).toBe(400)
  },
)

test('creates a URL that returns the bytes until it expires, with the name of the file', async () => {
  const id = await ready(await app.user())
  const { status, body } = await call('POST', `files/${id}/url`, { ttlSeconds: 60, download: true })
  expect(status).toBe(200)
  expect(Date.parse(body.expiresAt) - Date.now()).toBeLessThanOrEqual(60_000)
  const response = await fetch(body.url)
  expect(Buffer.from(await response.arrayBuffer())).toEqual(png(1000))
  expect(response.headers.get('content-disposition')).toContain('attachment; filename="a.png"')
  for (const ttlSeconds of [59, 604_801])
    expect((await call('POST', `files/${id}/url`, { ttlSeconds })).status).toBe(400)
  const { fileId } = await app.ok(await app.user(), 'upload.requestUploadUrl', photo)
  expect((await call('POST', `files/${fileId}/url`, {})).status).toBe(409)
  expect((await call('POST', `files/${randomUUID()}/url`, {})).status).toBe(404)
})

test('deletes a file or an unfinished upload, repeatedly', async () => {
  const user = await app.user()
  const id = await ready(user)
  const { fileId } = await app.ok(user, 'upload.initiateMultipart', { ...photo, totalParts: 1 })
  for (const file of [id, id, fileId, fileId])
    expect((await call('DELETE', `files/${file}`)).status).toBe(204)
  expect((await app.ok(user, 'files.list')).items).toEqual([])
  expect((await call('DELETE', `files/${randomUUID()}`)).status).toBe(404)
  expect(await drift(app.db)).toEqual([])
})
