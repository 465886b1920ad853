// Policies with `hold`: complete files that nobody can read before a verdict.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@pigeonhole/client'
import { createNodeUploader, fileSource } from '@pigeonhole/client/node'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { printResults } from '../../../packages/client/src/cli/upload-results.ts'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import { EVENT_TYPES } from '../../../src/server/domain/webhooks/schema.ts'
import { type ApiServer, startApiServer } from '../../support/app/api-server.ts'
import { ADMIN_SECRET, startTestApp } from '../../support/app/test-app.ts'
import { callProcedure } from '../../support/app/trpc-call.ts'
import { drift, png, put, startUploadApp, type UploadApp, webp } from '../../support/app/upload-app.ts'
import { atOnce } from '../../support/at-once.ts'
import { limitRows } from '../../support/limit-rows.ts'
import { seedFiles } from '../../support/seed-files.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const POLICIES = {
  scan: { hold: true },
  brief: { hold: true, expiresInDays: 1 },
  trusting: { hold: true, holdHours: 2, holdTimeout: 'accept' },
  avatar: { hold: true, maxFilesPerUser: 1, replace: true },
  two: { hold: true, maxFilesPerUser: 2 },
}

const SIZE = 1000
const photo = { filename: 'a.png', mimeType: 'image/png', size: SIZE }

let app: UploadApp
let server: ApiServer
let receiver: WebhookReceiver
const dir = mkdtempSync(join(tmpdir(), 'pigeonhole-hold-'))
beforeAll(async () => {
  const file = join(dir, 'policies.json')
  writeFileSync(file, JSON.stringify(POLICIES))
  app = await startUploadApp({ UPLOAD_POLICIES_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true' })
  server = await startApiServer(app)
  receiver = await startWebhookReceiver()
})
afterAll(async () => {
  server?.close()
  await app?.close()
  await receiver?.close()
  rmSync(dir, { recursive: true })
})
afterEach(async () => {
  app.s3.faults.reset()
  expect(await drift(app.db)).toEqual([])
})

async function admin(method: string, path: string, body?: unknown, token = ADMIN_SECRET) {
  const response = await fetch(`${server.url}/api/admin/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
const decide = (id: string, verdict: 'accept' | 'reject', reason?: string) =>
  admin('POST', `files/${id}/verdict`, { verdict, reason })

async function send(user: TestUser, policy: string): Promise<{ fileId: string; key: string }> {
  const begun = await app.ok(user, 'upload.requestUploadUrl', { ...photo, policy })
  expect((await put(begun.uploadUrl, png(SIZE), begun.headers)).status).toBe(200)
  return begun
}
async function hold(user: TestUser, policy = 'scan'): Promise<{ fileId: string; key: string }> {
  const sent = await send(user, policy)
  await app.ok(user, 'upload.confirmUpload', { fileId: sent.fileId })
  return sent
}
async function holdMultipart(user: TestUser): Promise<{ fileId: string; key: string }> {
  const begun = await app.ok(user, 'upload.initiateMultipart', { ...photo, totalParts: 1, policy: 'scan' })
  const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId: begun.fileId, partNumber: 1 })
  await put(uploadUrl, png(SIZE))
  await app.ok(user, 'upload.completeMultipart', { fileId: begun.fileId })
  return begun
}

const stateOf = async (id: string) => (await admin('GET', `files/${id}`)).body?.state
const stored = (key: string) => app.s3.requestLog.bytesStored(key)
async function rowOf(id: string) {
  const { rows } = await app.db.query(
    'SELECT reserved_bytes::int AS reserved, used_bytes::int AS used, cleanup_after FROM files WHERE id = $1',
    [id],
  )
  return rows[0]
}
/** Lets the time for a verdict end. */
const makeOverdue = (id: string) =>
  app.db.query(`UPDATE files SET expires_at = now() - interval '1 second' WHERE id = $1`, [id])
/** Lets the presigned PUT expire, whose bytes count until then. */
const expireUrl = (id: string) =>
  app.db.query(`UPDATE files SET url_expires_at = now() - interval '1 day' WHERE id = $1`, [id])

describe('a held file', () => {
  test.each([
    ['upload.confirmUpload', hold],
    ['upload.completeMultipart', holdMultipart],
  ])('%s says so, and a repeat gets the same response', async (call, complete) => {
    const user = await app.user()
    const { fileId } = await complete(user)
    const again = await app.ok(user, call, { fileId })
    expect(again).toEqual({
      success: true,
      file: { id: fileId, filename: 'a.png', url: `http://app.test/files/${fileId}`, state: 'HELD' },
    })
    expect((await app.ok(user, 'upload.status', { fileId })).state).toBe('HELD')
    if (call === 'upload.completeMultipart') {
      const { error } = await app.call(user, 'upload.abortMultipart', { fileId })
      expect(error?.message).toMatch(/^The file is complete and cannot be aborted/)
      const parts = (await app.ok(user, 'upload.status', { fileId })).uploadedParts
      expect(parts).toEqual([1])
    }
  })

  test('is in its owner’s list without a URL, and can be neither read, shared nor given a thumbnail', async () => {
    const user = await app.user()
    const { fileId } = await hold(user)
    expect((await app.ok(user, 'files.list')).items).toMatchObject([{ id: fileId, state: 'HELD', url: null }])
    for (const [procedure, input] of [
      ['files.downloadUrl', { fileId }],
      ['files.setThumbnail', { fileId, data: webp(100).toString('base64') }],
      ['shares.create', { fileId }],
    ] as const)
      expect([procedure, (await app.call(user, procedure, input)).error?.code]).toEqual([
        procedure,
        'NOT_FOUND',
      ])
    for (const path of [`/files/${fileId}`, `/files/${fileId}/thumbnail`])
      expect(
        (await fetch(`${server.url}${path}`, { headers: user.headers, redirect: 'manual' })).status,
      ).toBe(404)
  })

  test('counts toward the quota, no longer as an unfinished upload, and the sweeper leaves it alone', async () => {
    const user = await app.user({ quotaBytes: 1500 })
    const { fileId, key } = await hold(user)
    await expireUrl(fileId)
    await app.services.sweeper.sweep()
    expect(stored(key)).toBe(SIZE)
    const { used, reserved } = await app.ok(user, 'account.usage')
    expect(used + reserved).toBe(SIZE)
    const { error } = await app.call(user, 'upload.requestUploadUrl', photo)
    expect([error?.code, error?.reason]).toEqual(['QUOTA_EXCEEDED', 'quota'])
    // The sweeper of the previous version removes what is due and not READY.
    expect(await rowOf(fileId)).toEqual({ reserved: SIZE, used: 0, cleanup_after: null })
    await app.db.query('UPDATE files SET cleanup_after = now() WHERE id = $1', [fileId])
    await app.services.sweeper.sweep()
    expect([stored(key), (await rowOf(fileId)).reserved]).toEqual([SIZE, SIZE])
  })

  test('can be renamed and deleted by its owner, which removes its bytes', async () => {
    const user = await app.user()
    const { fileId, key } = await holdMultipart(user)
    await app.ok(user, 'files.rename', { fileId, filename: 'b.png' })
    expect((await app.ok(user, 'files.list')).items).toMatchObject([{ filename: 'b.png', state: 'HELD' }])
    await app.ok(user, 'files.delete', { fileId })
    expect(stored(key)).toBe(0)
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 0 })
    expect((await decide(fileId, 'accept')).status).toBe(404)
  })

  test('can be read by the backend, through a URL that it requests', async () => {
    const { fileId } = await hold(await app.user())
    const { body } = await admin('POST', `files/${fileId}/url`, {})
    const response = await fetch(body.url)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(png(SIZE))
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.headers.get('content-disposition')).toMatch(/^attachment;/)
  })

  test('counts toward maxFilesPerUser, and toward the maxFiles of its user token', async () => {
    const user = await app.user()
    await hold(user, 'two')
    await hold(user, 'two')
    const minted = await admin('POST', 'user-tokens', {
      externalId: randomUUID(),
      upload: { policy: 'scan', maxFiles: 1 },
    })
    const visitor = { headers: { authorization: `Bearer ${minted.body.token}` } } as unknown as TestUser
    await hold(visitor)
    for (const [owner, policy] of [
      [user, 'two'],
      [visitor, 'scan'],
    ] as const) {
      const { error } = await app.call(owner, 'upload.requestUploadUrl', { ...photo, policy })
      expect([error?.code, error?.reason]).toEqual(['QUOTA_EXCEEDED', 'too_many_files'])
    }
  })

  test('is deleted with its owner’s account', async () => {
    const user = await app.user()
    const files = [await hold(user), await holdMultipart(user)]
    for (const { fileId } of files) await expireUrl(fileId)
    expect((await admin('DELETE', `users/${user.id}`)).status).toBe(202)
    await until('the bytes are gone', () => files.every(({ key }) => stored(key) === 0))
  })

  test('with expiresInDays, expires that long after it was accepted', async () => {
    const { fileId } = await hold(await app.user(), 'brief')
    const { body } = await decide(fileId, 'accept')
    expect(Date.parse(body.expiresAt) - Date.parse(body.readyAt)).toBe(86_400_000)
  })

  test('replaces the older file when it is accepted, not before', async () => {
    const user = await app.user()
    const first = await hold(user, 'avatar')
    await decide(first.fileId, 'accept')
    const second = await hold(user, 'avatar')
    expect(await stateOf(first.fileId)).toBe('READY')
    const rejected = await hold(user, 'avatar')
    await decide(rejected.fileId, 'reject')
    expect([await stateOf(first.fileId), stored(first.key)]).toEqual(['READY', SIZE])
    await decide(second.fileId, 'accept')
    expect([await stateOf(first.fileId), stored(first.key)]).toEqual([undefined, 0])
    expect(await stateOf(second.fileId)).toBe('READY')
  })

  test('replaces any number of files, at most 2,000 in a statement', async () => {
    const user = await app.user()
    await seedFiles(app.config.databaseUrl, user.id, 4_100)
    await app.db.query(`UPDATE files SET policy = 'avatar' WHERE user_id = $1`, [user.id])
    const { fileId } = await hold(user, 'avatar')
    const stop = await limitRows(app.db, 'UPDATE', 'files')
    try {
      expect((await decide(fileId, 'accept')).status).toBe(200)
      expect((await app.ok(user, 'files.list')).items.map(({ id }: { id: string }) => id)).toEqual([fileId])
    } finally {
      await stop()
    }
  })

  test('replaces only older uploads, whatever the order of the verdicts', async () => {
    const user = await app.user()
    const [older, newer] = [await hold(user, 'avatar'), await hold(user, 'avatar')]
    await decide(newer.fileId, 'accept')
    expect((await decide(older.fileId, 'accept')).status).toBe(404)
    expect([await stateOf(newer.fileId), stored(newer.key)]).toEqual(['READY', SIZE])
    expect([await stateOf(older.fileId), stored(older.key)]).toEqual([undefined, 0])
    const several = await atOnce(4, 4, () => hold(user, 'avatar'))
    await atOnce(4, 4, (n) => decide(several[n]!.fileId, 'accept'))
    const { items } = await app.ok(user, 'files.list')
    const newest = several
      .map(({ fileId }) => fileId)
      .sort()
      .at(-1)
    expect(items.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
      [newest, 'READY'],
    ])
  })
})

describe('a verdict', () => {
  test('accept makes the file readable', async () => {
    const user = await app.user()
    const { fileId } = await hold(user)
    const { status, body } = await decide(fileId, 'accept')
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: fileId, state: 'READY', readyAt: expect.any(String), expiresAt: null })
    expect(body).toEqual((await admin('GET', `files/${fileId}`)).body)
    const { url } = await app.ok(user, 'files.downloadUrl', { fileId })
    expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(png(SIZE))
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: SIZE, reserved: 0 })
    const finished = await app.ok(user, 'upload.confirmUpload', { fileId })
    expect(finished.file).toEqual({ id: fileId, filename: 'a.png', url: `http://app.test/files/${fileId}` })
  })

  test('reject deletes the bytes, releases the quota and tells the reason', async () => {
    const user = await app.user()
    const { fileId, key } = await hold(user)
    await expireUrl(fileId)
    const { status, body } = await decide(fileId, 'reject', 'A virus: Eicar')
    expect([status, body.state]).toEqual([200, 'REJECTED'])
    expect(stored(key)).toBe(0)
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 0 })
    const { error } = await app.call(user, 'upload.confirmUpload', { fileId })
    expect([error?.code, error?.message]).toEqual(['BAD_REQUEST', 'A virus: Eicar'])
  })

  test('repeated changes nothing; the other one is 409', async () => {
    const user = await app.user()
    for (const [verdict, contrary] of [
      ['accept', 'reject'],
      ['reject', 'accept'],
    ] as const) {
      const { fileId } = await hold(user)
      const first = await decide(fileId, verdict)
      expect(await decide(fileId, verdict, 'again')).toEqual(first)
      const { status, body } = await decide(fileId, contrary)
      expect([status, body.error.message]).toEqual([
        409,
        `The file is ${first.body.state}, not HELD. A verdict cannot change it.`,
      ])
    }
  })

  test('on an upload that is not held is 409, on an unknown file 404, and an unknown one 400', async () => {
    const user = await app.user()
    const { fileId } = await send(user, 'scan')
    for (const verdict of ['accept', 'reject'] as const)
      expect((await decide(fileId, verdict)).status).toBe(409)
    for (const id of [randomUUID(), 'x']) expect((await decide(id, 'accept')).status).toBe(404)
    for (const body of [
      {},
      { verdict: 'maybe' },
      { verdict: 'accept', reasons: '' },
      { verdict: 'reject', reason: '' },
    ])
      expect((await admin('POST', `files/${fileId}/verdict`, body)).status).toBe(400)
  })

  test('needs the scope files:verdict', async () => {
    const { fileId } = await hold(await app.user())
    const keyWith = async (...scopes: string[]) =>
      (await admin('POST', 'server-keys', { name: 'scanner', scopes })).body.key
    const call = async (key: string) => admin('POST', `files/${fileId}/verdict`, { verdict: 'accept' }, key)
    const refused = await call(await keyWith('files:read', 'files:delete'))
    expect([refused.status, refused.body.error.message]).toEqual([
      403,
      expect.stringContaining('files:verdict'),
    ])
    expect((await call(await keyWith('files:verdict'))).status).toBe(200)
  })

  test('is in the audit log once, with its reason and who gave it', async () => {
    const user = await app.user()
    const accepted = (await hold(user)).fileId
    await decide(accepted, 'accept')
    await decide(accepted, 'accept')
    const rejected = (await hold(user)).fileId
    await decide(rejected, 'reject', 'spam')
    const entries = async (action: string) =>
      (await admin('GET', `audit?action=${action}&userId=${user.id}`)).body.items
    expect(await entries('file.accepted')).toMatchObject([
      { actor: 'admin', subjectId: accepted, details: {} },
    ])
    expect(await entries('file.rejected')).toMatchObject([
      { actor: 'admin', subjectId: rejected, details: { reason: 'spam' } },
    ])
  })

  test('reject leaks nothing if the process is killed before it removes the bytes', async () => {
    const user = await app.user()
    for (const complete of [hold, holdMultipart]) {
      const { fileId, key } = await complete(user)
      await expireUrl(fileId)
      for (const operation of ['DeleteObject', 'DeleteObjects'] as const)
        app.s3.faults.add({ operation, action: { kind: 'fail', status: 403, code: 'AccessDenied' } })
      expect((await decide(fileId, 'reject')).body.state).toBe('REJECTED')
      expect([stored(key), (await rowOf(fileId)).reserved]).toEqual([SIZE, SIZE])
      app.s3.faults.reset()
      await app.services.sweeper.sweep()
      expect([stored(key), (await rowOf(fileId)).reserved]).toEqual([0, 0])
    }
  })
})

describe('without a verdict in time', () => {
  test('the sweeper rejects the file, or accepts it if the policy says so, after its holdHours', async () => {
    const user = await app.user()
    const [rejected, accepted, waiting] = [
      await hold(user),
      await hold(user, 'trusting'),
      await hold(user, 'trusting'),
    ]
    const announced = ({ fileId }: { fileId: string }) =>
      admin('GET', `files/${fileId}`).then(({ body }) => body.timeoutVerdict)
    expect([await announced(rejected), await announced(accepted)]).toEqual(['reject', 'accept'])
    const hoursOf = async ({ fileId }: { fileId: string }) => {
      const { expiresAt } = (await admin('GET', `files/${fileId}`)).body
      return Math.round((Date.parse(expiresAt) - Date.now()) / 3_600_000)
    }
    expect([await hoursOf(rejected), await hoursOf(waiting)]).toEqual([24, 2])
    await makeOverdue(rejected.fileId)
    await makeOverdue(accepted.fileId)
    expect(await app.services.sweeper.sweep()).toMatchObject({ decided: 2, expired: 0 })
    expect(await stateOf(rejected.fileId)).toBe('REJECTED')
    expect(stored(rejected.key)).toBe(0)
    expect(await stateOf(accepted.fileId)).toBe('READY')
    expect(await announced(accepted)).toBeNull()
    expect(await stateOf(waiting.fileId)).toBe('HELD')
    const { error } = await app.call(user, 'upload.confirmUpload', { fileId: rejected.fileId })
    expect(error?.message).toBe('The file was not checked in time.')
    const { items } = (await admin('GET', `audit?userId=${user.id}&action=file.accepted`)).body
    expect(items).toMatchObject([
      { actor: null, subjectId: accepted.fileId, details: { reason: 'The file was not checked in time.' } },
    ])
  })

  test('a file that cannot be decided holds up neither other files nor the cleanup', async () => {
    const user = await app.user()
    const [stuck, other, deleted] = [await hold(user), await hold(user), await hold(user)]
    await makeOverdue(stuck.fileId)
    await makeOverdue(other.fileId)
    await app.db.query(
      `UPDATE files SET deleted_at = now(), cleanup_after = now() - interval '1 second' WHERE id = $1`,
      [deleted.fileId],
    )
    await app.db.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'stuck'; END $$;
      CREATE TRIGGER stuck BEFORE UPDATE ON files FOR EACH ROW WHEN (NEW.id = '${stuck.fileId}' AND NEW.state = 'REJECTED')
        EXECUTE FUNCTION fail()`)
    try {
      expect(await app.services.sweeper.sweep()).toMatchObject({ decided: 1 })
      expect(await stateOf(stuck.fileId)).toBe('HELD')
      expect(await stateOf(other.fileId)).toBe('REJECTED')
      expect(stored(deleted.key)).toBe(0)
    } finally {
      await app.db.query('DROP TRIGGER stuck ON files; DROP FUNCTION fail')
    }
    expect(await app.services.sweeper.sweep()).toMatchObject({ decided: 1 })
  })

  test('100 files that keep failing do not keep newer ones from their turn', async () => {
    const user = await app.user()
    const { fileId } = await hold(user)
    await app.db.query(
      `WITH held AS (SELECT * FROM files WHERE id = $1), copies AS (
         INSERT INTO files (id, user_id, filename, mime_type, size_bytes, reserved_bytes, key, state, etag, policy, expires_at)
         SELECT gen_random_uuid(), user_id, 'stuck.png', mime_type, size_bytes, size_bytes, key || n, state, etag, policy,
           now() - interval '1 hour' FROM held, generate_series(1, 100) AS n
       )
       UPDATE users SET reserved_bytes = users.reserved_bytes + 100 * held.size_bytes FROM held WHERE users.id = held.user_id`,
      [fileId],
    )
    await makeOverdue(fileId)
    await app.db.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'stuck'; END $$;
      CREATE TRIGGER stuck BEFORE UPDATE ON files FOR EACH ROW WHEN (NEW.filename = 'stuck.png' AND NEW.state = 'REJECTED')
        EXECUTE FUNCTION fail()`)
    try {
      for (let round = 0; round < 2; round++) await app.services.sweeper.sweep()
      expect(await stateOf(fileId)).toBe('REJECTED')
    } finally {
      await app.db.query('DROP TRIGGER stuck ON files; DROP FUNCTION fail')
    }
    expect(await app.services.sweeper.sweep()).toMatchObject({ decided: 100 })
  })

  test('a file whose policy is gone is rejected', async () => {
    const user = await app.user()
    const { fileId } = await hold(user, 'trusting')
    await makeOverdue(fileId)
    const { UPLOAD_POLICIES_FILE: _, ...env } = app.env
    const later = await startTestApp(env, app.env.DATABASE_URL)
    try {
      await later.services.sweeper.sweep()
      const answer = await callProcedure(
        (request) => handleTrpc(request, Promise.resolve(later.services)),
        user,
        'upload.status',
        { fileId },
      )
      expect(answer.data?.state).toBe('REJECTED')
    } finally {
      await later.close()
    }
  })
})

describe('at the same time, only one takes effect', () => {
  const ROUNDS = 8
  const raceAll = async (race: (id: string) => Promise<void>) => {
    const user = await app.user()
    const files = await atOnce(4, ROUNDS, () => hold(user))
    await atOnce(4, ROUNDS, (n) => race(files[n]!.fileId))
  }
  const outcomes = async (id: string) => {
    const { rows } = await app.db.query(
      `SELECT action FROM audit_entries WHERE subject_id = $1 AND action LIKE 'file.%'`,
      [id],
    )
    return rows.map(({ action }) => action)
  }

  test('accept and reject: one is 200, the other 409', async () => {
    await raceAll(async (id) => {
      const [accepted, rejected] = await Promise.all([decide(id, 'accept'), decide(id, 'reject')])
      const isAccepted = accepted.status === 200
      expect([accepted.status, rejected.status]).toEqual(isAccepted ? [200, 409] : [409, 200])
      expect(await stateOf(id)).toBe(isAccepted ? 'READY' : 'REJECTED')
      expect(await outcomes(id)).toEqual([isAccepted ? 'file.accepted' : 'file.rejected'])
    })
  })

  test('accept and the verdict deadline', async () => {
    await raceAll(async (id) => {
      await makeOverdue(id)
      const [{ status }] = await Promise.all([decide(id, 'accept'), app.services.sweeper.sweep()])
      const isAccepted = status === 200
      expect([status, await stateOf(id)]).toEqual(isAccepted ? [200, 'READY'] : [409, 'REJECTED'])
      expect(await outcomes(id)).toEqual([isAccepted ? 'file.accepted' : 'file.rejected'])
    })
  })

  test('accept and the owner’s deletion: the file is gone', async () => {
    const user = await app.user()
    const files = await atOnce(4, ROUNDS, () => hold(user))
    await atOnce(4, ROUNDS, async (n) => {
      const { fileId, key } = files[n]!
      await expireUrl(fileId)
      const [verdict] = await Promise.all([
        decide(fileId, 'accept'),
        app.ok(user, 'files.delete', { fileId }),
      ])
      expect([200, 404]).toContain(verdict.status)
      expect(await stateOf(fileId)).toBeUndefined()
      expect(stored(key)).toBe(0)
    })
    expect(await app.ok(user, 'account.usage')).toMatchObject({ used: 0, reserved: 0 })
  })
})

test('events: file.held with a URL of the bytes, then the verdict, or the deletion', async () => {
  await receiver.subscribe(app.services, '/held', [...EVENT_TYPES])
  await app.services.start()
  const user = await app.user()
  const eventsOf = (id: string) =>
    receiver
      .at('/held')
      .filter(({ body }) => body.data.fileId === id)
      .sort((a, b) => a.body.sequence - b.body.sequence)
      .map(({ body }) => body)
  const typesAfter = async (id: string) => {
    await until('both events arrive', () => eventsOf(id).length === 2)
    return eventsOf(id).map(({ type }) => type)
  }
  const accepted = (await hold(user)).fileId
  await until('file.held arrives', () => eventsOf(accepted).length === 1)
  const { data } = eventsOf(accepted)[0]!
  expect(data).toMatchObject({ userId: user.id, filename: 'a.png', size: SIZE, policy: 'scan' })
  const response = await fetch(data.url as string)
  expect(Buffer.from(await response.arrayBuffer())).toEqual(png(SIZE))
  expect(new URL(data.url as string).searchParams.get('X-Amz-Expires')).toBe('3600')
  await decide(accepted, 'accept')
  expect(await typesAfter(accepted)).toEqual(['file.held', 'file.ready'])

  const rejected = (await hold(user)).fileId
  await decide(rejected, 'reject', 'spam')
  expect(await typesAfter(rejected)).toEqual(['file.held', 'file.rejected'])
  expect(eventsOf(rejected)[1]!.data.reason).toBe('spam')

  const deleted = (await hold(user)).fileId
  await app.ok(user, 'files.delete', { fileId: deleted })
  expect(await typesAfter(deleted)).toEqual(['file.held', 'file.deleted'])
})

test('the upload engine ends as done and says that the file is held, even if it resumes a held one', async () => {
  const { body } = await admin('POST', 'user-tokens', {
    externalId: randomUUID(),
    upload: { policy: 'scan' },
  })
  const user = { headers: { authorization: `Bearer ${body.token}` } } as unknown as TestUser
  const path = join(dir, 'a.png')
  writeFileSync(path, png(SIZE))
  const client = createClient({ baseUrl: server.url, token: () => body.token })
  const uploader = createNodeUploader(client)
  try {
    const source = await fileSource(path)
    const handle = uploader.upload(source, { policy: 'scan' })
    const simple = await handle.settled()
    expect(simple).toMatchObject({ state: 'done', error: null, file: { filename: 'a.png', state: 'HELD' } })
    const { fileId } = await holdMultipart(user)
    const resumed = await uploader.resumeFrom(fileId, source).settled()
    expect(resumed).toMatchObject({ state: 'done', error: null, file: { id: fileId, state: 'HELD' } })
    // As the command `pigeonhole upload` does.
    const [printed, errors] = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')].map((spy) =>
      spy.mockReturnValue(),
    )
    expect(printResults([handle], false)).toBe(true)
    expect(printed!.mock.lastCall).toEqual([simple.file!.url])
    expect(errors!.mock.lastCall).toEqual([
      'a.png: The file is being checked. Its link works once it is accepted.',
    ])
  } finally {
    vi.restoreAllMocks()
    await uploader.close()
  }
})
