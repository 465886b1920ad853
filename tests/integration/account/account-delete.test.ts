import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createDb } from '../../../src/server/adapters/postgres/db.ts'
import { createFileRepo } from '../../../src/server/adapters/postgres/uploads/file-repo.ts'
import { drift, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { limitRows } from '../../support/limit-rows.ts'
import type { TestUser } from '../../support/users.ts'

const PASSWORD = 'correct horse battery'
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0])
const CHILD = fileURLToPath(new URL('../../support/process/delete-account.child.ts', import.meta.url))
let app: UploadApp

beforeAll(async () => {
  app = await startUploadApp()
})
afterAll(() => app.close())

/** Creates a user with a password, a device, a push token, preferences, an identity and a confirmed file. */
async function userWithEverything(): Promise<{ user: TestUser; key: string }> {
  const user = await app.user({ password: PASSWORD, name: 'Ada' })
  const created = await app.ok(user, 'upload.requestUploadUrl', {
    filename: 'a.png',
    mimeType: 'image/png',
    size: PNG.length,
  })
  expect((await put(created.uploadUrl, PNG, created.headers)).status).toBe(200)
  await app.ok(user, 'upload.confirmUpload', { fileId: created.fileId })
  const insert = (sql: string, ...values: unknown[]) => app.db.query(sql, [...values, user.id])
  const id = randomUUID()
  await insert(
    "INSERT INTO devices (id, platform, token, token_hash, user_id) VALUES ($1::uuid, 'ios', $1::text, $1::text, $2)",
    id,
  )
  await insert(
    "INSERT INTO push_tokens (id, hash, name, expires_at, user_id) VALUES ($1::uuid, $1::text, 'n', now(), $2)",
    id,
  )
  await insert('INSERT INTO accounts (provider, provider_account_id, user_id) VALUES ($1, $1, $2)', id)
  await insert('INSERT INTO notification_preferences (user_id) VALUES ($1)')
  return { user, key: created.key }
}

async function rowsOf(user: TestUser): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of ['accounts', 'devices', 'files', 'notification_preferences', 'push_tokens']) {
    const { rowCount } = await app.db.query(`SELECT 1 FROM ${table} WHERE user_id = $1`, [user.id])
    if (rowCount) counts[table] = rowCount
  }
  const { rowCount } = await app.db.query('SELECT 1 FROM users WHERE id = $1', [user.id])
  return rowCount ? { ...counts, users: rowCount } : counts
}

const objectAt = (key: string) => app.services.store.head(key, AbortSignal.timeout(5_000))

/** Expects that no row of the user is left. The last one is deleted once the file's presigned URL has expired. */
async function expectGone(user: TestUser, key: string): Promise<void> {
  expect(await objectAt(key)).toBeNull()
  const { rowCount } = await app.db.query(
    'SELECT 1 FROM push_tokens WHERE user_id = $1 AND revoked_at IS NULL',
    [user.id],
  )
  expect(rowCount).toBe(0)
  const untilTheEnd = ['files', 'users', 'push_tokens']
  expect(Object.keys(await rowsOf(user)).filter((table) => !untilTheEnd.includes(table))).toEqual([])
  // Pretend that the time in which a PUT to the presigned URL can end has passed.
  await app.db.query(
    "UPDATE files SET url_expires_at = now() - interval '3 h', cleanup_after = now() - interval '1 s' WHERE user_id = $1",
    [user.id],
  )
  const removed = async () => {
    await app.services.accountDeletion.resume()
    return rowsOf(user)
  }
  await expect.poll(removed).toEqual({})
}

test('a wrong password deletes nothing, and a missing one is rejected', async () => {
  const user = await app.user({ password: PASSWORD })
  const wrong = await app.call(user, 'account.delete', { password: 'wrong' })
  expect(wrong.error).toMatchObject({ code: 'FORBIDDEN', fieldErrors: { password: ['is wrong'] } })
  expect((await app.call(user, 'account.delete', {})).error?.fieldErrors).toEqual({
    password: ['is missing'],
  })
  expect(await rowsOf(user)).toEqual({ users: 1 })
})

test('files with their objects, devices, tokens and sessions are deleted with the account', async () => {
  const { user, key } = await userWithEverything()
  expect(await objectAt(key)).not.toBeNull()
  expect(await app.ok(user, 'account.delete', { password: PASSWORD })).toEqual({ success: true })
  expect((await app.call(user, 'files.list')).error?.code).toBe('UNAUTHORIZED')
  const signIn = { email: user.email, password: PASSWORD }
  expect((await app.call(null, 'session.create', signIn)).error?.code).toBe('UNAUTHORIZED')
  await expectGone(user, key)
})

test('deleting an account marks thousands of files in statements of limited size, and the quota stays exact', async () => {
  const user = await app.user({ password: PASSWORD })
  await app.db.query(
    `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state, used_bytes, reserved_bytes)
     SELECT gen_random_uuid(), $1, 'a.png', 'image/png', 1, 'files/' || gen_random_uuid(),
       (ARRAY['READY', 'PENDING']::file_state[])[1 + n % 2], (n + 1) % 2, n % 2
     FROM generate_series(1, 5000) AS n`,
    [user.id],
  )
  await app.db.query(
    'UPDATE users SET used_bytes = 2500, reserved_bytes = 2500, open_uploads = 2500 WHERE id = $1',
    [user.id],
  )
  expect(await drift(app.db)).toEqual([])
  onTestFinished(await limitRows(app.db, 'UPDATE', 'files'))
  const db = createDb(app.config.databaseUrl, 2)
  onTestFinished(() => db.close())
  await createFileRepo(db).markAllDeleted(user.id, new Date())
  expect(await drift(app.db)).toEqual([])
  const { rows } = await app.db.query(
    'SELECT 1 FROM files WHERE user_id = $1 AND (deleted_at IS NULL OR cleanup_after > now())',
    [user.id],
  )
  expect(rows).toEqual([])
  await app.db.query('DELETE FROM files WHERE user_id = $1', [user.id])
})

test('the email can be used again at once', async () => {
  const { user } = await userWithEverything()
  await app.ok(user, 'account.delete', { password: PASSWORD })
  const again = await app.user({ email: user.email })
  expect(again.id).not.toBe(user.id)
})

test('if the process is killed midway, the account is closed, and another process finishes the deletion', async () => {
  const { user, key } = await userWithEverything()
  // A store that never responds holds the removal at a point where the account is already marked.
  const silent = createServer((socket) => socket.on('error', () => {}))
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const child = spawn(process.execPath, [CHILD], {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...app.env,
      S3_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      USER_ID: user.id,
      PASSWORD,
    },
  })
  try {
    await once(silent, 'connection')
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
    silent.close()
  }
  expect((await app.call(user, 'files.list')).error?.code).toBe('UNAUTHORIZED')
  expect(await objectAt(key)).not.toBeNull()
  expect((await rowsOf(user)).users).toBe(1)

  // The dead process's lease has expired, and nothing more can arrive.
  await app.db.query(
    "UPDATE files SET leased_until = now(), url_expires_at = now() - interval '3 h' WHERE user_id = $1",
    [user.id],
  )
  await app.services.start()
  await expect.poll(() => rowsOf(user)).toEqual({})
  expect(await objectAt(key)).toBeNull()
})
