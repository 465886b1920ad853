// The files of all users, for administrators and an app's backend.

import { randomUUID } from 'node:crypto'
import { createServerClient } from '@pigeonhole/client/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listBackendFileIds } from '../../../src/server/adapters/postgres/uploads/backend-file-repo.ts'
import { startApiServer } from '../../support/app/api-server.ts'
import { writePolicies } from '../../support/app/policies-file.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { explainer } from '../../support/explain.ts'
import type { TestUser } from '../../support/users.ts'

const file = writePolicies({
  photo: { mimeTypes: ['image/png'], maxBytes: 2000 },
  table: { mimeTypes: ['text/csv'] },
  held: { hold: true },
})
let app: UploadApp
let server: { url: string; close(): void }
beforeAll(async () => {
  app = await startUploadApp({ UPLOAD_POLICIES_FILE: file.path })
  server = await startApiServer(app)
})
afterAll(async () => {
  server?.close()
  await app?.close()
  file.remove()
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

async function ready(user: TestUser, more = {}): Promise<string> {
  const { fileId, uploadUrl, headers } = await app.ok(user, 'upload.requestUploadUrl', { ...photo, ...more })
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
    user: { email: null, name: null },
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
    timeoutVerdict: null,
  })
  const unfinished = await call('GET', `files/${pending}`)
  expect(unfinished.body).toMatchObject({ url: null, readyAt: null, expiresAt: expect.any(String) })
  expect((await call('GET', `files/${gone}`)).status).toBe(404)
})

test.each([
  ['stat=READY', 'stat'],
  ['state=ready', 'state'],
  ['limit=0', 'limit'],
  ['cursor=x', 'cursor'],
  ['userId=x&externalId=y', 'externalId'],
  ['policy=%00', 'policy'],
  ['state=READY&state=HELD', 'state'],
  ['data=A1', 'data'],
  ['dat.order=A1', 'dat.order'],
  ['data.order=A1&data.page=1', 'data'],
  ['data.order=A1&data.order=A2', 'data.order'],
  ['data.order=%00', 'data'],
  ['data.__proto__=A1', 'data'],
  ['__proto__=x', '__proto__'],
  ['policy.x=y', 'policy'],
])('rejects ?%s, and names %s', async (query, field) => {
  const { status, body } = await call('GET', `files?${query}`)
  expect([status, Object.keys(body.error.fieldErrors ?? {})]).toEqual([400, [field]])
})

test('lists files by policy, alone or with a user or a state', async () => {
  const [user, other] = [await app.user(), await app.user()]
  const mine = await ready(user, { policy: 'photo' })
  const others = await ready(other, { policy: 'photo' })
  await ready(user)
  const { fileId: pending } = await app.ok(user, 'upload.requestUploadUrl', { ...photo, policy: 'photo' })
  expect(idsOf(await call('GET', 'files?policy=photo'))).toEqual([pending, others, mine])
  expect(idsOf(await call('GET', `files?policy=photo&userId=${user.id}`))).toEqual([pending, mine])
  expect(idsOf(await call('GET', 'files?policy=photo&state=PENDING'))).toEqual([pending])
  expect(idsOf(await call('GET', 'files?policy=photo&state=READY'))).toEqual([others, mine])
  expect(idsOf(await call('GET', 'files?policy=phot'))).toEqual([])
})

test('lists files by part of their name in any case and composition, also with other filters', async () => {
  const user = await app.user()
  const cafe = await ready(user, { filename: 'CAFE\u0301 menu.png', data: { order: 'A1' } })
  await ready(user, { filename: 'parcel.png', data: { order: 'A1' } })
  const query = encodeURIComponent('café')
  for (const filter of ['', '&state=READY', `&userId=${user.id}`, '&data.order=A1'])
    expect(idsOf(await call('GET', `files?query=${query}${filter}`))).toEqual([cafe])
  expect(idsOf(await call('GET', `files?query=${query}&state=HELD`))).toEqual([])
})

describe('a filter by one key of data', () => {
  test('finds equal strings, numbers and booleans, and nothing else', async () => {
    const user = await app.user()
    const withData = async (data: object) =>
      (await app.ok(user, 'upload.requestUploadUrl', { ...photo, data })).fileId as string
    const text = await withData({ order: 'A1', page: '7', paid: 'true', 'a.b[c] &': 'x' })
    const typed = await withData({ order: 'A10', page: 7, paid: true, size: 0.5, large: 1e21 })
    const nested = await withData({ other: 'A1', page: 70, paid: false })
    const found = async (filter: [string, string]) =>
      idsOf(await call('GET', `files?userId=${user.id}&${new URLSearchParams([filter])}`))
    const cases: [key: string, value: string, ids: string[]][] = [
      ['order', 'A1', [text]],
      ['order', 'A', []],
      ['order', 'a1', []],
      ['other', 'A1', [nested]],
      ['page', '7', [typed, text]],
      ['page', '07', []],
      ['page', '7.0', [typed]],
      ['page', ' 7', []],
      ['paid', 'true', [typed, text]],
      ['paid', 'false', [nested]],
      ['size', '0.5', [typed]],
      ['large', '1e+21', [typed]],
      ['large', '1e999', []],
      ['a.b[c] &', 'x', [text]],
      ['order', '', []],
      ['missing', 'null', []],
    ]
    for (const [key, value, ids] of cases) {
      expect([key, value, await found([`data.${key}`, value])]).toEqual([key, value, ids])
      expect([key, value, await found([`data[${key}]`, value])]).toEqual([key, value, ids])
    }
  })

  test('is combined with the other filters, and its result has pages', async () => {
    const [user, other] = [await app.user(), await app.user()]
    const data = { case: randomUUID() }
    const [first, second] = [await ready(user, { data }), await ready(user, { data, policy: 'photo' })]
    const others = await ready(other, { data })
    const deleted = await ready(user, { data })
    expect((await call('DELETE', `files/${deleted}`)).status).toBe(204)
    const { fileId: pending } = await app.ok(user, 'upload.requestUploadUrl', { ...photo, data })
    const filter = `data.case=${data.case}`
    expect(idsOf(await call('GET', `files?${filter}`))).toEqual([pending, others, second, first])
    expect(idsOf(await call('GET', `files?${filter}&userId=${other.id}`))).toEqual([others])
    expect(idsOf(await call('GET', `files?${filter}&policy=photo`))).toEqual([second])
    expect(idsOf(await call('GET', `files?${filter}&state=PENDING`))).toEqual([pending])
    const page = await call('GET', `files?${filter}&limit=3`)
    expect(idsOf(page)).toEqual([pending, others, second])
    const next = await call('GET', `files?${filter}&limit=3&cursor=${page.body.nextCursor}`)
    expect([idsOf(next), next.body.nextCursor]).toEqual([[first], null])
    const { body: key } = await call('POST', 'server-keys', { name: 'shop', scopes: ['files:read'] })
    const client = createServerClient({ baseUrl: server.url, key: key.key })
    const { items } = await client.files.list({ data, state: 'READY', userId: user.id })
    expect(items.map(({ id }) => id)).toEqual([second, first])
  })
})

test('the filters by data, policy, state and user use their indexes', async () => {
  const [{ id }, other] = [await app.user(), await app.user()]
  const client = await app.db.connect()
  try {
    await client.query('BEGIN')
    await client.query(
      `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state, policy, data)
       SELECT gen_random_uuid(), $1, 'a.png', 'image/png', 1, gen_random_uuid(), 'READY', 'policy-' || i / 100,
         jsonb_build_object('order', i / 10, 'kind', 'photo')
       FROM generate_series(1, 5000) AS i`,
      [id],
    )
    await client.query('ANALYZE files')
    const { planned, plans } = await explainer(client)
    const all = {
      userId: null,
      policy: null,
      state: null,
      query: null,
      data: null,
      beforeId: undefined,
      limit: 51,
    }
    const planOf = async (search: object) => {
      await listBackendFileIds(planned, { ...all, ...search })
      return plans.pop()
    }
    for (const search of [{}, { userId: id }, { state: 'READY' }]) {
      const plan = await planOf({ ...search, data: [{ order: '7' }, { order: 7 }] })
      expect(plan).toContain('Bitmap Index Scan on files_data_idx')
    }
    const plan = await planOf({ policy: 'policy-1', state: 'READY' })
    expect(plan).toContain('Index Scan using files_of_policy_idx')
    expect(plan).not.toContain('Sort')
    expect(await planOf({ state: 'REJECTED' })).toContain('files_not_ready_idx')
    expect(await planOf({ userId: other.id })).toContain('files_listed_idx')
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})

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

test('a URL shows a file in the browser, but unrecognized and held files are attachments', async () => {
  const user = await app.user()
  const disposition = async (id: string) => {
    const { body } = await call('POST', `files/${id}/url`, {})
    return (await fetch(body.url)).headers.get('content-disposition')?.split(';')[0]
  }
  expect(await disposition(await ready(user))).toBe('inline')
  expect(await disposition(await ready(user, { policy: 'held' }))).toBe('attachment')
  const bytes = Buffer.from('a,b\n1,2\n')
  const table = { filename: 'a.csv', mimeType: 'text/csv', size: bytes.length, policy: 'table' }
  const { fileId, uploadUrl, headers } = await app.ok(user, 'upload.requestUploadUrl', table)
  await put(uploadUrl, bytes, headers)
  await app.ok(user, 'upload.confirmUpload', { fileId })
  expect(await disposition(fileId)).toBe('attachment')
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
