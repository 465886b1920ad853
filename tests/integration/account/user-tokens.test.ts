// User tokens: credentials that an app's backend gives to its users.

import { randomUUID } from 'node:crypto'
import { createClient, PART_BYTES } from '@pigeonhole/client'
import { createAdminClient } from '@pigeonhole/client/admin'
import { runCli } from '@pigeonhole/client/cli'
import { createNodeUploader } from '@pigeonhole/client/node'
import { createServerClient } from '@pigeonhole/client/server'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { downloadFile } from '../../../src/server/api/http/file-download.ts'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import { appRouter } from '../../../src/server/api/trpc/router.ts'
import { USER_TOKEN_SCOPES } from '../../../src/server/domain/accounts/schema.ts'
import { createUserTokenCodec } from '../../../src/server/domain/accounts/user-token.ts'
import { startApiServer } from '../../support/app/api-server.ts'
import { writePolicies } from '../../support/app/policies-file.ts'
import { ADMIN_SECRET, startTestApp, type TestApp } from '../../support/app/test-app.ts'
import { drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { atOnce } from '../../support/at-once.ts'
import { until } from '../../support/until.ts'

const POLICIES = {
  photos: { mimeTypes: ['image/png'], maxFilesPerUser: 50, maxBytes: 9000 },
  badges: { mimeTypes: ['image/png'], requireUserToken: true },
  tables: { mimeTypes: ['text/csv'], requireUserToken: true },
}
const policies = writePolicies(POLICIES)

let app: UploadApp
/** Another replica, during a rotation of NEXTAUTH_SECRET. */
let second: TestApp
let server: { url: string; close(): void }
beforeAll(async () => {
  app = await startUploadApp({ UPLOAD_POLICIES_FILE: policies.path })
  server = await startApiServer(app)
  second = await startTestApp(
    {
      ...app.env,
      NEXTAUTH_SECRET: 'another-secret-that-is-long-enough-for-tests',
      NEXTAUTH_SECRET_PREVIOUS: app.env.NEXTAUTH_SECRET!,
    },
    app.config.databaseUrl,
  )
})
afterAll(async () => {
  server?.close()
  await second?.close()
  await app?.close()
  policies.remove()
})

async function request(method: string, path: string, token: string, body?: unknown) {
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

const mint = (input: object, key = ADMIN_SECRET) => request('POST', '/api/admin/user-tokens', key, input)

async function tokenFor(
  input: object,
  key = ADMIN_SECRET,
): Promise<{ token: string; userId: string; expiresAt: string }> {
  const { status, body } = await mint(input, key)
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

async function serverKey(): Promise<{ id: string; key: string }> {
  const input = { name: 'shop', scopes: ['user-tokens:create'] }
  return (await request('POST', '/api/admin/server-keys', ADMIN_SECRET, input)).body
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
// biome-ignore lint/suspicious/noExplicitAny: a test user needs only its headers
const as = (token: string) => bearer(token) as any
const call = (token: string, procedure: string, input?: unknown) => app.call(as(token), procedure, input)
const photo = (size = 1000) => ({ filename: 'a.png', mimeType: 'image/png', size })

describe('creating a user token', () => {
  test('creates the user of an unknown externalId once; later tokens are for the same user', async () => {
    const externalId = `customer-${randomUUID()}`
    const { key, id } = await serverKey()
    const all = await Promise.all(
      Array.from({ length: 5 }, () => tokenFor({ externalId, name: 'Ada', email: 'ada@example.com' }, key)),
    )
    expect(new Set(all.map(({ userId }) => userId)).size).toBe(1)
    const { userId } = all[0]!
    const { rows } = await app.db.query(
      'SELECT email, display_email, name, external_id FROM users WHERE id = $1',
      [userId],
    )
    expect(rows).toEqual([
      { email: null, display_email: 'ada@example.com', name: 'Ada', external_id: externalId },
    ])
    expect((await tokenFor({ externalId, name: 'Ada L.' }, key)).userId).toBe(userId)
    expect((await tokenFor({ userId })).userId).toBe(userId)
    const found = await request('GET', `/api/admin/users?externalId=${externalId}`, ADMIN_SECRET)
    expect(found.body.items).toMatchObject([{ id: userId, name: 'Ada L.' }])
    const { rows: entries } = await app.db.query(
      `SELECT actor FROM audit_entries WHERE action = 'account.created' AND user_id = $1`,
      [userId],
    )
    expect(entries).toEqual([{ actor: `key:${id}` }])
    await until('all created tokens are in the audit log', async () => {
      const { rows: counted } = await app.db.query(
        `SELECT sum((details->>'calls')::int)::int AS calls FROM audit_entries WHERE actor = $1 AND action = 'admin.called'`,
        [`key:${id}`],
      )
      return counted[0].calls === 6
    })
  })

  test('of a known user writes nothing to the database: audit entries follow in groups', async () => {
    const { userId } = await tokenFor({ externalId: `customer-${randomUUID()}` })
    const { id, key } = await serverKey()
    // The first call records the use of the key.
    await tokenFor({ userId }, key)
    // Counts every statement that writes, by table. Only this file uses the database.
    await app.db.query(`CREATE TABLE writes (table_name text);
      CREATE FUNCTION count_write() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO writes VALUES (TG_TABLE_NAME); RETURN NULL; END $$;
      DO $$ DECLARE t text; BEGIN
        FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'writes' LOOP
          EXECUTE format('CREATE TRIGGER count_write AFTER INSERT OR UPDATE OR DELETE ON %I EXECUTE FUNCTION count_write()', t);
        END LOOP;
      END $$`)
    const minted = 200
    await Promise.all(
      Array.from({ length: minted }, () => tokenFor({ userId, upload: { maxFiles: 1 } }, key)),
    )
    const actor = `key:${id}`
    await until('all calls are in the audit log', async () => {
      const { rows } = await app.db.query(
        `SELECT sum((details->>'calls')::int)::int AS calls FROM audit_entries WHERE actor = $1`,
        [actor],
      )
      return rows[0].calls === minted + 1
    })
    const { rows } = await app.db.query('SELECT table_name AS name, count(*)::int FROM writes GROUP BY 1')
    const { audit_entries: groups = 0, ...others } = Object.fromEntries(
      rows.map((row) => [row.name, row.count]),
    )
    expect(others).toEqual({})
    expect(groups).toBeGreaterThan(0)
    expect(groups).toBeLessThan(minted / 10)
  })

  test.each<[object, string]>([
    [{}, 'userId'],
    [{ userId: 'x', externalId: 'y' }, 'externalId'],
    [{ externalId: '' }, 'externalId'],
    [{ externalId: 'x'.repeat(256) }, 'externalId'],
    [{ externalId: 'x', ttlSeconds: 59 }, 'ttlSeconds'],
    [{ externalId: 'x', ttlSeconds: 3601 }, 'ttlSeconds'],
    [{ externalId: 'x', scopes: [] }, 'scopes'],
    [{ externalId: 'x', scopes: ['account'] }, 'scopes.0'],
    [{ externalId: 'x', upload: { maxFiles: 0 } }, 'upload.maxFiles'],
    [{ externalId: 'x', upload: { maxBytes: 0 } }, 'upload.maxBytes'],
    [{ externalId: 'x', upload: { policy: 'nothing' } }, 'upload.policy'],
    [{ externalId: 'x', upload: { data: { order: ['A1'] } } }, 'upload.data.order'],
    [{ externalId: 'x', upload: { maxfiles: 1 } }, 'upload.maxfiles'],
    [{ userId: 'x', name: 'Ada' }, 'name'],
  ])('%j is rejected, by field', async (input, field) => {
    const { status, body } = await mint(input)
    expect([status, Object.keys(body.error.fieldErrors)]).toEqual([400, [field]])
  })

  test('is 404 for an unknown userId and 409 for a disabled user', async () => {
    expect((await mint({ userId: randomUUID() })).status).toBe(404)
    expect((await mint({ userId: 'x' })).status).toBe(404)
    const { userId } = await tokenFor({ externalId: randomUUID() })
    await request('PATCH', `/api/admin/users/${userId}`, ADMIN_SECRET, { disabled: true })
    expect((await mint({ userId })).status).toBe(409)
  })
})

/** Scope that a user token needs for each procedure. All other procedures are 403. */
const NEEDED: Record<string, (typeof USER_TOKEN_SCOPES)[number] | 'any'> = {
  'devices.list': 'devices:write',
  'devices.register': 'devices:write',
  'devices.remove': 'devices:write',
  'devices.unregister': 'devices:write',
  'devices.webPushKey': 'any',
  'files.delete': 'files:delete',
  'files.downloadUrl': 'files:read',
  'files.emptyTrash': 'files:delete',
  'files.list': 'files:read',
  'files.restore': 'files:delete',
  'files.setThumbnail': 'uploads:write',
  'files.totals': 'files:read',
  'files.trash': 'files:read',
  'messages.list': 'messages:read',
  'messages.markRead': 'messages:read',
  'messages.unread': 'messages:read',
  'preferences.get': 'devices:write',
  'preferences.update': 'devices:write',
  'upload.abortMultipart': 'uploads:write',
  'upload.completeMultipart': 'uploads:write',
  'upload.completePart': 'uploads:write',
  'upload.confirmUpload': 'uploads:write',
  'upload.getPartUrl': 'uploads:write',
  'upload.getPartUrls': 'uploads:write',
  'upload.initiateMultipart': 'uploads:write',
  'upload.limits': 'any',
  'upload.requestUploadUrl': 'uploads:write',
  'upload.status': 'uploads:write',
}
const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>

describe('every procedure with every scope', () => {
  test.each([...USER_TOKEN_SCOPES, 'all scopes' as const])('a token with %s', async (scope) => {
    const scopes = scope === 'all scopes' ? undefined : [scope]
    const { token } = await tokenFor({ externalId: randomUUID(), scopes })
    const has = (needed: string) =>
      needed === 'any' || scopes === undefined || scopes.includes(needed as never)
    for (const name of Object.keys(procedures)) {
      const method = procedures[name]!._def.type === 'query' ? 'GET' : 'POST'
      const init = { method, headers: { ...bearer(token).headers, 'content-type': 'application/json' } }
      const body = method === 'POST' ? '{}' : undefined
      const sent = new Request(`http://app.test/api/trpc/${name}`, { ...init, body })
      const { status } = await handleTrpc(sent, Promise.resolve(app.services))
      const allowed = NEEDED[name] !== undefined && has(NEEDED[name])
      expect([name, status]).toEqual([name, allowed ? expect.toBeOneOf([200, 400]) : 403])
    }
    const download = new Request('http://app.test/files/none', bearer(token))
    const { status } = await downloadFile(download, app.services, 'none')
    expect(status).toBe(has('files:read') ? 404 : 403)
  })

  test('the admin API, the push endpoints and the metrics are 403', async () => {
    const { token } = await tokenFor({ externalId: randomUUID() })
    for (const [method, path] of [
      ['GET', '/api/admin/users'],
      ['POST', '/api/admin/server-keys'],
      ['POST', '/api/admin/user-tokens'],
      ['POST', '/api/push/token'],
      ['POST', '/api/push/send'],
      ['GET', '/api/push/messages/x'],
      ['PUT', '/api/push/topics/a/users/x'],
      ['GET', '/api/metrics'],
    ] as const)
      expect([path, (await request(method, path, token, method === 'GET' ? undefined : {})).status]).toEqual([
        path,
        403,
      ])
  })
})

describe('a token', () => {
  test('uploads and reads the files of its user, in every replica and during a rotation', async () => {
    const { token, userId } = await tokenFor({ externalId: randomUUID() })
    const { uploadUrl, headers, fileId } = await app.ok(as(token), 'upload.requestUploadUrl', photo())
    await put(uploadUrl, png(1000), headers)
    await app.ok(as(token), 'upload.confirmUpload', { fileId })
    expect((await app.ok(as(token), 'files.list')).items).toMatchObject([{ id: fileId, state: 'READY' }])
    const elsewhere = new Request('http://app.test/', bearer(token))
    expect(await second.services.authenticate(elsewhere)).toMatchObject({ id: userId, via: 'userToken' })
  })

  test('needs a statement only every few seconds, unlike a session', async () => {
    const user = await app.user()
    const { token } = await tokenFor({ userId: user.id })
    const statements = vi.spyOn(pg.Client.prototype, 'query')
    const statementsOf = async (headers: Record<string, string>) => {
      statements.mockClear()
      for (let n = 0; n < 100; n++)
        await app.services.authenticate(new Request('http://app.test/', { headers }))
      return statements.mock.calls.length
    }
    try {
      expect(await statementsOf(user.headers)).toBeGreaterThanOrEqual(100)
      // One, or on a very slow machine a few.
      const ofToken = await statementsOf(bearer(token).headers)
      expect(ofToken).toBeGreaterThan(0)
      expect(ofToken).toBeLessThan(50)
    } finally {
      statements.mockRestore()
    }
  })

  test('that is expired, changed or signed with another secret is 401', async () => {
    const { token } = await tokenFor({ externalId: randomUUID() })
    const codec = createUserTokenCodec(app.config.sessionSecrets)
    const claims = codec.read(token)!
    const expired = codec.issue({ ...claims, expiresAt: new Date(Date.now() - 1000) })
    const foreign = createUserTokenCodec(['a secret of someone else']).issue(claims)
    const [payload, signature] = token.split('.')
    const other = codec.issue({ ...claims, userId: randomUUID() })
    for (const wrong of [
      expired,
      foreign,
      `${other.split('.')[0]}.${signature}`,
      `${payload}.${signature!.slice(1)}`,
      `${payload}.`,
      `${token}.${signature}`,
      'ut_',
      `ut_${'x'.repeat(5000)}`,
    ])
      expect(await call(wrong, 'files.list')).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } })
    expect((await call(token, 'files.list')).status).toBe(200)
    expect((await call(other, 'files.list')).error?.message).toContain('no longer exists')
  })

  test.each(['its user is disabled', 'its server key is revoked'])('stops when %s', async (what) => {
    const { key, id } = await serverKey()
    const { token, userId } = await tokenFor({ externalId: randomUUID() }, key)
    expect((await call(token, 'files.list')).status).toBe(200)
    if (what === 'its user is disabled')
      await request('PATCH', `/api/admin/users/${userId}`, ADMIN_SECRET, { disabled: true })
    else await request('DELETE', `/api/admin/server-keys/${id}`, ADMIN_SECRET)
    const from = performance.now()
    let acceptedAt = from
    await until('the token stops', async () => {
      const at = performance.now()
      const { status } = await call(token, 'files.list')
      if (status === 200) acceptedAt = at
      return status === 401
    })
    // The last call that was accepted began within the time that the contract allows.
    expect(acceptedAt - from).toBeLessThan(5_000)
    if (what !== 'its user is disabled') return
    await request('PATCH', `/api/admin/users/${userId}`, ADMIN_SECRET, { disabled: false })
    expect((await call(token, 'files.list')).status).toBe(200)
  })
})

describe('upload limits of a token', () => {
  const sumOf = async (userId: string) => {
    const { rows } = await app.db.query(
      `SELECT count(*)::int AS files, coalesce(sum(size_bytes), 0)::int AS bytes FROM files
       WHERE user_id = $1 AND state IN ('PENDING', 'UPLOADING', 'READY')`,
      [userId],
    )
    return rows[0] as { files: number; bytes: number }
  }

  test('say which limit is reached, and a file that can never fit is BAD_REQUEST', async () => {
    const upload = { maxFiles: 2, maxBytes: 1500 }
    const { token } = await tokenFor({ externalId: randomUUID(), upload })
    const begin = (size: number) => call(token, 'upload.requestUploadUrl', photo(size))
    expect((await begin(1501)).error).toMatchObject({
      code: 'BAD_REQUEST',
      fieldErrors: { size: [expect.stringContaining('1500 bytes')] },
    })
    expect((await begin(1000)).error).toBeUndefined()
    expect((await begin(501)).error).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      reason: 'too_many_bytes',
      message: expect.stringMatching(/501 bytes.*only 500 bytes of 1500 left/),
    })
    expect((await begin(500)).error).toBeUndefined()
    expect((await begin(1)).error).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      reason: 'too_many_files',
      message: expect.stringContaining('allows at most 2 uploads and was used for 2'),
    })
  })

  test('a repeated call with an idempotency key counts once; an aborted upload frees its slot, a deleted file does not', async () => {
    const { token } = await tokenFor({ externalId: randomUUID(), upload: { maxFiles: 1 } })
    const keyed = { ...photo(), totalParts: 1, idempotencyKey: 'k1' }
    const first = await app.ok(as(token), 'upload.initiateMultipart', keyed)
    expect(await app.ok(as(token), 'upload.initiateMultipart', keyed)).toEqual(first)
    expect((await call(token, 'upload.requestUploadUrl', photo())).status).toBe(413)
    await app.ok(as(token), 'upload.abortMultipart', { fileId: first.fileId })
    const next = await app.ok(as(token), 'upload.requestUploadUrl', photo())
    await put(next.uploadUrl, png(1000), next.headers)
    await app.ok(as(token), 'upload.confirmUpload', { fileId: next.fileId })
    await app.ok(as(token), 'files.delete', { fileId: next.fileId })
    expect((await call(token, 'upload.requestUploadUrl', photo())).status).toBe(413)
  })

  test.each([
    ['upload.requestUploadUrl', photo()],
    ['upload.initiateMultipart', { ...photo(), totalParts: 1 }],
  ])(
    '%s: parallel and repeated calls with one idempotency key return one file, while the token allows more',
    async (procedure, input) => {
      const { token, userId } = await tokenFor({ externalId: randomUUID(), upload: { maxFiles: 3 } })
      const keyed = { ...input, idempotencyKey: 'k2' }
      const answers = await Promise.all(Array.from({ length: 4 }, () => call(token, procedure, keyed)))
      answers.push(await call(token, procedure, keyed))
      expect(answers.filter(({ error }) => error)).toEqual([])
      expect(new Set(answers.map(({ data }) => data.fileId)).size).toBe(1)
      expect((await sumOf(userId)).files).toBe(1)
      expect(await drift(app.db)).toEqual([])
    },
  )

  test('300 parallel uploads never exceed maxFiles 3 and maxBytes', async () => {
    const upload = { maxFiles: 3, maxBytes: 2500, policy: 'photos', data: { order: 'A1' } }
    const { token, userId } = await tokenFor({ externalId: randomUUID(), upload })
    const other = await tokenFor({ userId })
    await app.ok(as(other.token), 'upload.requestUploadUrl', photo(7000))
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        call(token, 'upload.requestUploadUrl', photo(500 + (i % 3) * 250)),
      ),
    )
    const accepted = answers.filter(({ error }) => !error).length
    for (const { error } of answers) if (error) expect(error.code).toBe('QUOTA_EXCEEDED')
    const { files, bytes } = await sumOf(userId)
    expect(files - 1).toBe(accepted)
    expect(accepted).toBeGreaterThanOrEqual(2)
    expect(accepted).toBeLessThanOrEqual(3)
    expect(bytes - 7000).toBeLessThanOrEqual(2500)
    expect(await drift(app.db)).toEqual([])
  })

  test('any limits hold for any sizes, in two replicas at once', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 5, maxLength: 30 })
    const limits = fc.record({
      maxFiles: fc.integer({ min: 1, max: 6 }),
      maxBytes: fc.integer({ min: 1000, max: 4000 }),
    })
    await fc.assert(
      fc.asyncProperty(sizes, limits, async (list, upload) => {
        const { token, userId } = await tokenFor({ externalId: randomUUID(), upload })
        const answers = await atOnce(16, list.length, (i) => {
          const { uploads } = (i % 2 === 0 ? app : second).services
          const { uploadLimits } = createUserTokenCodec(app.config.sessionSecrets).read(token)!
          const input = { ...photo(list[i]), mimeType: 'image/png' as const, idempotencyKey: undefined }
          return uploads.requestUploadUrl(userId, input, uploadLimits).then(
            () => list[i]!,
            (error) => {
              if (error.code !== 'QUOTA_EXCEEDED') throw error
              return null
            },
          )
        })
        const accepted = answers.filter((size) => size !== null)
        const sum = accepted.reduce((a, b) => a + b, 0)
        expect(await sumOf(userId)).toEqual({ files: accepted.length, bytes: sum })
        expect(accepted.length).toBeLessThanOrEqual(upload.maxFiles)
        expect(sum).toBeLessThanOrEqual(upload.maxBytes)
        // The rejected uploads really did not fit.
        const rejected = list.filter((_, i) => answers[i] === null)
        if (accepted.length < upload.maxFiles)
          for (const size of rejected) expect(sum + size).toBeGreaterThan(upload.maxBytes)
      }),
      { numRuns: 10 },
    )
    expect(await drift(app.db)).toEqual([])
  })
})

describe('policy and data of a token', () => {
  const table = { filename: 'a.csv', mimeType: 'text/csv', size: 10 }
  const begin = [
    ['upload.requestUploadUrl', {}],
    ['upload.initiateMultipart', { totalParts: 1 }],
  ] as const

  test('are those of its uploads, whether the client omits or repeats them', async () => {
    const data = { order: 'A1', n: 7, text: '' }
    data.text = 'ü'.repeat((2048 - JSON.stringify(data).length) / 2)
    const { token } = await tokenFor({ externalId: randomUUID(), upload: { policy: 'tables', data } })
    for (const [procedure, more] of begin) {
      const input = { ...table, ...more, idempotencyKey: procedure }
      const { fileId } = await app.ok(as(token), procedure, input)
      const { text, n, order } = data
      const repeated = { ...input, policy: 'tables', data: { text, n, order } }
      expect((await app.ok(as(token), procedure, repeated)).fileId).toBe(fileId)
      expect(await app.ok(as(token), 'upload.status', { fileId })).toMatchObject({ policy: 'tables', data })
    }
    // A token without them leaves the choice to the client.
    const free = await tokenFor({ externalId: randomUUID(), upload: { maxFiles: 9 } })
    const chosen = { ...photo(), policy: 'photos', data: { a: 1 } }
    const { fileId } = await app.ok(as(free.token), 'upload.requestUploadUrl', chosen)
    expect(await app.ok(as(free.token), 'upload.status', { fileId })).toMatchObject({
      policy: 'photos',
      data: { a: 1 },
    })
  })

  test.each([
    ['policy', { policy: 'photos' }],
    ['policy', { policy: '' }],
    ['policy', { policy: null }],
    ['data', { data: { order: 'A2' } }],
    ['data', { data: { order: 'A1', more: 1 } }],
    ['data', { data: {} }],
    ['data', { data: null }],
    ['mimeType', { mimeType: 'image/png' }],
  ])('cannot be overridden or widened: %s %j', async (field, change) => {
    const upload = { policy: 'tables', data: { order: 'A1' } }
    const { token } = await tokenFor({ externalId: randomUUID(), upload })
    for (const [procedure, more] of begin) {
      const { error } = await call(token, procedure, { ...table, ...more, ...change })
      expect([error?.code, Object.keys(error?.fieldErrors ?? {})]).toEqual(['BAD_REQUEST', [field]])
    }
  })

  test('show in upload.limits, with the largest file that the token allows', async () => {
    const upload = { policy: 'photos', maxBytes: 5000 }
    const { token } = await tokenFor({ externalId: randomUUID(), upload })
    expect(await app.ok(as(token), 'upload.limits')).toMatchObject({
      mimeTypes: ['image/png'],
      maxSimpleBytes: 5000,
      maxMultipartBytes: 5000,
    })
    expect((await call(token, 'upload.limits', { policy: 'tables' })).error).toMatchObject({
      code: 'BAD_REQUEST',
      fieldErrors: { policy: ['must be "photos", as in your user token, or left out'] },
    })
  })

  test('with requireUserToken, a policy accepts no other credential', async () => {
    const user = await app.user()
    const { token: apiKey } = await app.ok(user, 'apiKeys.create', { name: 'a', scopes: ['uploads:write'] })
    const free = await tokenFor({ userId: user.id })
    const other = await tokenFor({ userId: user.id, upload: { data: { policy: 'tables' } } })
    for (const caller of [user, as(apiKey), as(free.token), as(other.token)])
      for (const [procedure, more] of begin) {
        const { error } = await app.call(caller, procedure, { ...table, ...more, policy: 'tables' })
        expect([error?.code, error?.fieldErrors]).toEqual([
          'BAD_REQUEST',
          {
            policy: [
              'needs a user token with it as upload.policy, from your app\'s backend (policy "tables")',
            ],
          },
        ])
      }
    const right = await tokenFor({ userId: user.id, upload: { policy: 'tables' } })
    await app.ok(as(right.token), 'upload.requestUploadUrl', table)
  })
})

describe('a client whose token function asks the backend', () => {
  const codec = () => createUserTokenCodec(app.config.sessionSecrets)

  test('continues an upload after its token expired during sleep, without an error, and asks once', async () => {
    const { token } = await tokenFor({ externalId: randomUUID() })
    const expired = codec().issue({ ...codec().read(token)!, expiresAt: new Date(Date.now() - 7_200_000) })
    let asked = 0
    const client = createClient({ baseUrl: server.url, token: async () => (asked++ === 0 ? expired : token) })
    const uploader = createNodeUploader(client, { scope: server.url })
    try {
      const bytes = new Uint8Array(png(1000))
      const upload = uploader.upload({
        name: 'a.png',
        type: 'image/png',
        size: bytes.length,
        lastModified: 0,
        slice: (start, end) => ({
          size: end - start,
          stream: async function* () {
            yield bytes.subarray(start, end)
          },
        }),
      })
      const states = new Set<string>()
      upload.subscribe(() => states.add(upload.getSnapshot().state))
      const { state, error } = await upload.settled()
      expect([state, error, asked]).toEqual(['done', null, 2])
      expect(states).not.toContain('paused')
    } finally {
      await uploader.close()
    }
  })

  test('repeats a batch of which some calls were rejected', async () => {
    const { token } = await tokenFor({ externalId: randomUUID() })
    const expired = codec().issue({ ...codec().read(token)!, expiresAt: new Date(Date.now() - 1000) })
    let asked = 0
    const { upload, files } = createClient({
      baseUrl: server.url,
      token: async () => (asked++ === 0 ? expired : token),
    })
    const [limits, list] = await Promise.all([upload.limits.query(), files.list.query()])
    expect([limits.maxSimpleBytes > 0, list.items, asked]).toEqual([true, [], 2])
  })

  test('`pigeonhole check --policy` succeeds with a policy that needs a user token', async () => {
    const input = { name: 'check', scopes: ['user-tokens:create'] }
    const { key } = (await request('POST', '/api/admin/server-keys', ADMIN_SECRET, input)).body
    const lines: string[] = []
    const log = vi.spyOn(console, 'log').mockImplementation((line) => lines.push(line))
    const code = await runCli(['check', '--policy', 'badges'], {
      PIGEONHOLE_URL: server.url,
      PIGEONHOLE_KEY: key,
    })
    log.mockRestore()
    expect({ code, lines }).toEqual({
      code: 0,
      lines: expect.arrayContaining([expect.stringMatching(/^ok {4}delete/)]),
    })
  })

  test('createServerClient makes the calls of its key', async () => {
    const input = { name: 'shop', scopes: ['users:read', 'user-tokens:create', 'files:read', 'topics:write'] }
    const { key } = (await request('POST', '/api/admin/server-keys', ADMIN_SECRET, input)).body
    const backend = createServerClient({ baseUrl: `${server.url}/`, key })
    const externalId = randomUUID()
    const { userId, token } = await backend.userTokens.create({ externalId, upload: { maxFiles: 1 } })
    expect((await backend.users.list({ externalId })).items).toMatchObject([{ id: userId }])
    const { fileId, uploadUrl, headers } = await app.ok(as(token), 'upload.requestUploadUrl', photo())
    await put(uploadUrl, png(1000), headers)
    await app.ok(as(token), 'upload.confirmUpload', { fileId })
    expect((await backend.files.list({ externalId, state: 'READY' })).items).toMatchObject([{ id: fileId }])
    const { url } = await backend.files.url(fileId, { download: true })
    expect((await fetch(url)).status).toBe(200)
    await backend.topics.subscribe('news', userId)
    const admin = createAdminClient({ baseUrl: `${server.url}/`, token: ADMIN_SECRET })
    expect((await admin.files.list({ externalId })).items).toMatchObject([{ id: fileId }])
    await expect(backend.files.delete(fileId)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('files:delete'),
    })
  })

  // The last test of this file: the AWS client keeps the clock skew that it measures in the store's responses.
  test('resumes an upload after two hours of sleep in the middle of it, without an error', async () => {
    const externalId = randomUUID()
    let asked = 0
    const client = createClient({
      baseUrl: server.url,
      token: async () => {
        asked++
        return (await tokenFor({ externalId })).token
      },
    })
    const uploader = createNodeUploader(client, { scope: server.url, concurrency: 1 })
    const sending = Promise.withResolvers<void>()
    const awake = Promise.withResolvers<void>()
    try {
      const bytes = new Uint8Array(png(3 * PART_BYTES))
      const upload = uploader.upload({
        ...{ name: 'a.png', type: 'image/png', size: bytes.length, lastModified: 0 },
        slice: (start, end) => ({
          size: end - start,
          stream: async function* () {
            if (end - start === PART_BYTES) {
              sending.resolve()
              await awake.promise
            }
            yield bytes.subarray(start, end)
          },
        }),
      })
      const problems: unknown[] = []
      upload.subscribe(() => {
        const { state, error, warning } = upload.getSnapshot()
        if (state === 'paused' || error || warning) problems.push({ state, error, warning })
      })
      await sending.promise
      // The clock of the client, the server and the store. Timers do not run during sleep.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7_200_000 })
      awake.resolve()
      expect(await upload.settled()).toMatchObject({ state: 'done', error: null })
      expect([problems, asked]).toEqual([[], 2])
    } finally {
      vi.useRealTimers()
      await uploader.close()
    }
  })
})
