// Filters of the audit log, the names in it, and its export as CSV.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAuditTrailRepo } from '../../../src/server/adapters/postgres/accounts/audit-repo.ts'
import { exportAudit, listAudit } from '../../../src/server/api/http/admin/audit.ts'
import { listUsers } from '../../../src/server/api/http/admin/users.ts'
import {
  type AuditSearch,
  createAuditTrail,
  MAX_EXPORTED,
} from '../../../src/server/domain/accounts/audit-trail.ts'
import { csvLine } from '../../../src/server/kernel/csv.ts'
import { newIdOf } from '../../../src/server/kernel/ids.ts'
import { type PushApp, startPushApp } from '../../support/app/push-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { explainer } from '../../support/explain.ts'
import { until } from '../../support/until.ts'
import { createUser, type TestUser } from '../../support/users.ts'

let app: PushApp
let admin: TestUser
beforeAll(async () => {
  app = await startPushApp({ idle: true })
  admin = await createUser(app)
  await app.db.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [admin.id])
})
afterAll(() => app.close())
beforeEach(() => app.db.query('TRUNCATE audit_entries'))

type Entry = {
  at?: string
  action?: string
  actor?: string | null
  userId?: string | null
  subjectId?: string
  details?: object
}

let added = 0

/** Adds an entry, by default a millisecond later than the previous one. */
async function add({ at, action = 'user.changed', actor = null, userId = null, ...entry }: Entry) {
  const { subjectId = null, details = {} } = entry
  const time = at === undefined ? new Date(Date.now() + ++added) : new Date(at)
  await app.db.query(
    `INSERT INTO audit_entries (id, at, action, actor, user_id, subject_id, address, details)
     VALUES ($1, $2, $3, $4, $5, $6, NULL, $7)`,
    [newIdOf(time), time, action, actor, userId, subjectId, details],
  )
}
const requestOf = (path: string, headers: Record<string, string> = admin.headers) =>
  new Request(`${app.env.NEXTAUTH_URL}/api/admin${path}`, { headers })
async function list(query: string, headers?: Record<string, string>) {
  const response = await listAudit(requestOf(`/audit?${query}`, headers), app.services)
  return { status: response.status, body: await response.json() }
}
const actionsOf = async (query: string) =>
  (await list(query)).body.items.map(({ action }: { action: string }) => action)

describe('the audit log', () => {
  test('names users by email, tokens and keys by name, and does not name deleted ones', async () => {
    const gone = await createUser(app)
    const { id: key } = await app.services.serverKeys.create(
      { name: 'shop', scopes: ['users:read'], expiresInDays: 1 },
      { actor: 'admin', address: null, user: null },
    )
    await app.tokenOf(admin.id)
    const [token] = await app.services.push.tokens.list(admin.id)
    await app.db.query('TRUNCATE audit_entries')
    await add({ actor: `user:${admin.id}`, userId: gone.id })
    await add({ actor: `token:${token!.id}` })
    await add({ actor: `key:${key}` })
    await add({ actor: 'admin' })
    await app.db.query('DELETE FROM users WHERE id = $1', [gone.id])
    const { items } = (await list('hideOwnReads=true')).body
    expect(items.map(({ actorName, userName }: Record<string, unknown>) => [actorName, userName])).toEqual([
      [null, null],
      ['shop', null],
      [token!.name, null],
      [admin.email, null],
    ])
  })

  test('names webhooks by their origin, shared links by their file and canceled messages by their title, but not messages to one user', async () => {
    const [webhook, file, share, message] = Array.from({ length: 4 }, () => randomUUID())
    await app.db.query(
      `INSERT INTO webhooks (id, url, events, secret) VALUES ($1, 'https://shop.example.com/hooks?key=x', '{file.ready}', 'x')`,
      [webhook],
    )
    await app.db.query(
      `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state)
       VALUES ($1, $2, 'report.pdf', 'application/pdf', 1, 'files/report', 'READY')`,
      [file, admin.id],
    )
    await app.db.query(
      `INSERT INTO shares (id, hash, file_id, user_id, expires_at) VALUES ($1, 'hash', $2, $3, now())`,
      [share, file, admin.id],
    )
    await app.db.query(
      `INSERT INTO push_messages (id, category, content, status, expires_at)
       VALUES ($1, 'general', '{"title": "Storm"}', 'cancelled', now())`,
      [message],
    )
    const created = { method: 'POST', path: '/api/admin/webhooks', status: 201 }
    await add({ action: 'admin.called', subjectId: webhook!, details: created })
    await add({ action: 'share.created', subjectId: share! })
    await add({ action: 'push.cancelled', subjectId: message! })
    await add({ action: 'push.sent', subjectId: message! })
    await add({ action: 'file.accepted', subjectId: file! })
    await add({ action: 'admin.called', subjectId: 'no ID' })
    const { items } = (await list('hideOwnReads=true')).body
    expect(items.map(({ subjectName }: Record<string, unknown>) => subjectName)).toEqual([
      null,
      null,
      null,
      'Storm',
      'report.pdf',
      'https://shop.example.com',
    ])
    await app.db.query('UPDATE files SET deleted_at = now() WHERE id = $1', [file])
    const [shared] = (await list('hideOwnReads=true&action=share.created')).body.items
    expect(shared).toMatchObject({ subjectId: share, subjectName: null })
  })

  test('is filtered by date, actor, action and user', async () => {
    const actor = `user:${admin.id}`
    await add({ at: '2026-11-20T10:00:00Z', action: 'share.created', actor, userId: admin.id })
    await add({ at: '2026-11-21T10:00:00Z', action: 'share.revoked', actor })
    await add({ at: '2026-11-22T10:00:00Z', action: 'session.created', userId: admin.id })
    expect(await actionsOf('to=2026-11-22T10:00:00Z')).toEqual(['share.revoked', 'share.created'])
    expect(await actionsOf('from=2026-11-21T11:00:00%2B01:00&to=2026-11-22T00:00:00Z')).toEqual([
      'share.revoked',
    ])
    expect(await actionsOf(`actor=${actor}&to=2026-11-26T00:00:00Z`)).toEqual([
      'share.revoked',
      'share.created',
    ])
    expect(await actionsOf(`actor=${actor}&action=share.created`)).toEqual(['share.created'])
    expect(await actionsOf(`userId=${admin.id}&from=2026-11-21T00:00:00Z&action=session.created`)).toEqual([
      'session.created',
    ])
    expect((await list('from=yesterday')).body.error.fieldErrors).toHaveProperty('from')
  })

  test('leaves out the reader’s own page views, but neither changes nor what others did', async () => {
    await listUsers(requestOf('/users'), app.services)
    await listUsers(requestOf('/users', { authorization: `Bearer ${ADMIN_SECRET}` }), app.services)
    const details = { method: 'PATCH', path: '/api/admin/users/x', status: 200 }
    await add({ action: 'admin.called', actor: `user:${admin.id}`, details })
    const seen = async (query: string) =>
      (await list(query)).body.items.map(
        ({ actor, details }: { actor: string; details: { method: string } }) => [actor, details.method],
      )
    const hidden = await seen('hideOwnReads=true')
    expect(hidden.sort()).toEqual([
      ['admin', 'GET'],
      [`user:${admin.id}`, 'PATCH'],
    ])
    expect(await seen('')).toHaveLength(4)
  })

  test('leaves out API calls that read, were rejected or have their own entry, page by page', async () => {
    const call = (method: string, path: string, status: number) =>
      add({ action: 'admin.called', actor: 'admin', details: { method, path: `/api/admin${path}`, status } })
    const { id } = admin
    const hidden: [string, string, number][] = [
      ['GET', '/users', 200],
      ['GET', `/users/${id}`, 404],
      ['POST', '/doctor', 200],
      ['POST', '/users', 201],
      ['PATCH', `/users/${id}`, 200],
      ['DELETE', `/users/${id}`, 200],
      ['POST', `/users/${id}/sign-out`, 204],
      ['POST', '/server-keys', 201],
      ['DELETE', `/server-keys/${id}`, 204],
      ['POST', '/push-tokens', 201],
      ['POST', `/push-tokens/${id}/send`, 202],
      ['DELETE', `/push-tokens/${id}`, 204],
      ['DELETE', `/broadcasts/${id}`, 204],
      ['POST', '/files/{id}/verdict', 200],
      ['PATCH', `/webhooks/${id}`, 200],
      ['POST', '/webhooks', 400],
    ]
    const shown: [string, string, number][] = [
      ['POST', '/webhooks', 201],
      ['DELETE', `/webhooks/${id}`, 204],
      ['POST', `/files/${id}/url`, 200],
      ['DELETE', `/files/${id}`, 204],
      ['POST', `/users/${id}/password-reset`, 200],
      ['GET', '/users', 403],
      ['POST', '/server-keys', 401],
      ['DELETE', `/users/${id}`, 500],
    ]
    for (const [index, entry] of shown.entries()) {
      await call(...hidden[index * 2]!)
      await call(...hidden[index * 2 + 1]!)
      await call(...entry)
    }
    const seen: unknown[] = []
    let cursor = ''
    do {
      const { body } = await list(`hideCalls=true&actor=admin&limit=3${cursor}`)
      expect(body.items.length).toBe(body.nextCursor === null ? 2 : 3)
      for (const { details } of body.items)
        seen.unshift([details.method, details.path.replace('/api/admin', ''), details.status])
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`
    } while (cursor !== '')
    expect(seen).toEqual(shown)
    expect((await list('actor=admin&limit=100')).body.items).toHaveLength(hidden.length + shown.length)
  })

  test('has the first of the searches that an administrator types at once, and the others as one entry', async () => {
    // Own entries, because the searches of the other tests are counted too.
    const typist = await createUser(app)
    await app.db.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [typist.id])
    const entries = async () => {
      const actor = `user:${typist.id}`
      const { rows } = await app.db.query('SELECT details FROM audit_entries WHERE actor = $1 ORDER BY id', [
        actor,
      ])
      return rows.map(({ details }) => details)
    }
    const search = { method: 'GET', path: '/api/admin/users', status: 200 }
    const type = (query: string) =>
      listUsers(requestOf(`/users?query=${query}`, typist.headers), app.services)
    await type('a')
    expect(await entries()).toEqual([search])
    await Promise.all(['ad', 'ada', 'ada@'].map(type))
    await until('the others are stored', async () => (await entries()).length > 1)
    expect(await entries()).toEqual([search, { ...search, calls: 3 }])
  })
})

describe('the export', () => {
  test('has the filtered entries as CSV, in which no value is a formula', async () => {
    const { id } = await createUser(app)
    await add({ action: 'session.created', userId: id })
    const name = '=HYPERLINK("https://evil.example","x")'
    await app.db.query('UPDATE users SET name = $2, email = NULL WHERE id = $1', [id, name])
    await add({ action: 'share.created', userId: id, details: { name: 'a "quoted", name' } })
    const response = await exportAudit(requestOf('/audit/export?action=share.created'), app.services)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="audit.csv"',
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    const [head, line, rest] = new TextDecoder().decode(bytes).split('\r\n')
    expect(head).toContain('"id","at","action","actor","actorName"')
    expect(line).toContain(`"'=HYPERLINK(""https://evil.example"",""x"")"`)
    expect(line).toContain('"{""name"":""a \\""quoted\\"", name""}"')
    expect(rest).toBe('')
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1'])('writes %j as text', (value) => {
    expect(csvLine([value])).toBe(`"'${value}"\r\n`)
  })

  test('reads pages as fast as the client, and ends after 100,000 entries', async () => {
    let read = 0
    const repo = {
      list: async ({ limit, beforeId }: AuditSearch) => {
        read += limit
        const last = beforeId === undefined ? 10_000_000 : Number.parseInt(beforeId, 16)
        return Array.from({ length: limit }, (_, i) => ({
          id: (last - i - 1).toString(16),
          at: new Date(0),
          action: 'share.created',
          actor: null,
          actorName: null,
          userId: null,
          userName: null,
          subjectId: null,
          subjectName: null,
          address: null,
          details: {},
        }))
      },
    }
    const lines = createAuditTrail(repo).export({}, 'admin')
    await lines.next()
    await lines.next()
    expect(read).toBe(1_000)
    let count = 1_000
    for await (const text of lines) count += text.split('\r\n').length - 1
    expect([count, read]).toEqual([MAX_EXPORTED, MAX_EXPORTED])
  })
})

test('each filter uses its index', async () => {
  const client = await app.db.connect()
  try {
    await client.query('BEGIN')
    await client.query(
      `INSERT INTO audit_entries (id, action, actor, user_id)
       SELECT gen_random_uuid(), 'action-' || i % 50, 'user:' || i % 100, gen_random_uuid()
       FROM generate_series(1, 5000) AS i`,
    )
    await client.query('ANALYZE audit_entries')
    const { planned, plans } = await explainer(client)
    const planOf = async (search: Partial<AuditSearch>) => {
      await createAuditTrailRepo({ planned }).list({ limit: 50, ...search } as AuditSearch)
      return plans.pop()
    }
    expect(await planOf({ userId: admin.id })).toContain('audit_entries_user_id_id_idx')
    expect(await planOf({ actor: `user:${admin.id}` })).toContain('audit_entries_actor_id_idx')
    expect(await planOf({ action: 'share.created' })).toContain('audit_entries_action_id_idx')
    expect(await planOf({})).toContain('audit_entries_pkey')
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})
