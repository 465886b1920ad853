// Users in the admin API: search, creation, changes, disabling and deletion, and their effect in every replica.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import type { AppServices } from '../../../src/server/wiring/build-services.ts'
import { startApiServer } from '../../support/app/api-server.ts'
import { iosToken, type PushApp, startPushApp } from '../../support/app/push-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { callProcedure } from '../../support/app/trpc-call.ts'
import { createUser, type TestUser } from '../../support/users.ts'

const PASSWORD = 'a long enough password'

let app: PushApp
let server: { url: string; close(): void }
/** Services of another replica, with the same database. */
let replica: Awaited<ReturnType<PushApp['replica']>>
let admin: TestUser
beforeAll(async () => {
  app = await startPushApp({
    idle: true,
    env: { AUTH_JWT_ISSUER: 'https://issuer.example', AUTH_JWT_AUDIENCE: 'pigeonhole' },
  })
  server = await startApiServer(app)
  replica = await app.replica()
  admin = await createUser(app)
  await app.db.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [admin.id])
})
afterAll(async () => {
  server.close()
  await app.close()
})

const secret = { authorization: `Bearer ${ADMIN_SECRET}` }
async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = secret) {
  const response = await fetch(`${server.url}/api/admin${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
const created = async (body: object) => {
  const answer = await call('POST', '/users', body)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer))
  return answer.body
}
/** Calls a procedure in the replica. */
const inReplica = (
  services: AppServices,
  user: Pick<TestUser, 'headers'> | null,
  name: string,
  input?: unknown,
) => callProcedure((request) => handleTrpc(request, Promise.resolve(services)), user, name, input)
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const signIn = (email: string, password: string) =>
  inReplica(replica.services, null, 'session.create', { email, password })

test.each(['/users?query=', '/users?email=', '/users?externalId=', '/audit?action='])(
  'GET %s with a NUL returns BAD_REQUEST',
  async (path) => {
    expect(await call('GET', `${path}%00`)).toMatchObject({
      status: 400,
      body: { error: { code: 'BAD_REQUEST' } },
    })
  },
)

test('a user is created with all fields, can sign in, and is shown without secrets', async () => {
  const { status, body } = await call('POST', '/users', {
    email: ' Ada@Example.com ',
    password: PASSWORD,
    name: 'Ada',
    quotaBytes: 1_000,
  })
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(String),
      email: 'ada@example.com',
      emailVerified: true,
      name: 'Ada',
      externalId: null,
      role: 'user',
      createdAt: expect.stringMatching(/Z$/),
      lastSeenAt: null,
      disabled: false,
      quotaBytes: 1_000,
      usedBytes: 0,
      reservedBytes: 0,
      files: 0,
      devices: 0,
    },
  ])
  const { data } = await signIn('ada@example.com', PASSWORD)
  expect(data.user).toEqual({ id: body.id, email: 'ada@example.com', name: 'Ada' })
  const signedIn = bearer(data.token)
  await inReplica(replica.services, signedIn, 'devices.register', { platform: 'ios', token: iosToken() })
  expect((await call('GET', `/users/${body.id}`)).body).toMatchObject({
    id: body.id,
    devices: 1,
    lastSeenAt: expect.any(String),
  })
})

test('an administrator can create another one; a user who cannot be invited returns 400', async () => {
  const { id, role } = await created({ email: 'chief@example.com', role: 'admin' })
  expect(role).toBe('admin')
  const { rows } = await app.db.query(
    `SELECT details FROM audit_entries WHERE action = 'account.created' AND user_id = $1`,
    [id],
  )
  expect(rows).toEqual([{ details: { role: 'admin' } }])
  for (const body of [
    // SMTP_URL is not set here.
    { email: 'guest@example.com', invite: true },
    { email: 'guest@example.com', invite: true, password: PASSWORD },
    { externalId: 'auth0|guest', invite: true },
    { email: 'guest@example.com', invite: false },
  ])
    expect(await call('POST', '/users', body)).toMatchObject({
      status: 400,
      body: { error: { fieldErrors: { invite: [expect.any(String)] } } },
    })
  expect((await call('GET', '/users?email=guest@example.com')).body.items).toEqual([])
})

test('an email in use returns 409', async () => {
  await created({ email: 'taken@example.com' })
  expect(await call('POST', '/users', { email: 'TAKEN@example.com' })).toMatchObject({
    status: 409,
    body: { error: { code: 'CONFLICT' } },
  })
})

test('a user of the external issuer can be created with that issuer’s ID before the first sign-in; the same ID again returns 409', async () => {
  const { id } = await created({ externalId: 'auth0|new', name: 'New' })
  expect((await call('GET', '/users?externalId=auth0|new')).body.items).toMatchObject([{ id, email: null }])
  const { rows } = await app.db.query('SELECT external_issuer FROM users WHERE id = $1', [id])
  expect(rows).toEqual([{ external_issuer: 'https://issuer.example' }])
  expect((await call('POST', '/users', { externalId: 'auth0|new' })).status).toBe(409)
  expect((await call('PATCH', `/users/${id}`, { password: PASSWORD })).status).toBe(400)
})

test('a rejected change changes nothing: the user is not disabled either', async () => {
  const { id } = await created({ externalId: 'auth0|still-there' })
  const { status } = await call('PATCH', `/users/${id}`, { disabled: true, name: 'New', password: PASSWORD })
  expect(status).toBe(400)
  expect((await call('GET', `/users/${id}`)).body).toMatchObject({ disabled: false, name: null })
})

test.each([
  [{}, ['email']],
  [{ email: 'nobody' }, ['email']],
  [{ email: 'a@example.com', password: 'short' }, ['password']],
  [{ externalId: 'x', password: PASSWORD }, ['password']],
  [{ externalId: ' ' }, ['externalId']],
  [{ email: 'a@example.com', quotaBytes: -1 }, ['quotaBytes']],
  [{ email: 'a@example.com', quotaBytes: 1.5 }, ['quotaBytes']],
  [{ email: 'a@example.com', name: '' }, ['name']],
  [{ email: 'a@example.com', role: 'owner' }, ['role']],
])('POST %j returns 400, which names the fields', async (body, fields) => {
  const answer = await call('POST', '/users', body)
  expect([answer.status, Object.keys(answer.body.error.fieldErrors)]).toEqual([400, fields])
})

describe('finding users', () => {
  test('by email, external ID or part of a field, page by page, newest first', async () => {
    const ids: string[] = []
    for (const name of ['Grace Hopper', 'Grace Kelly', 'Gracie'])
      ids.unshift((await created({ email: `${name.replace(' ', '.')}@find.example`, name })).id)
    await app.db.query(
      `UPDATE users SET external_issuer = 'https://issuer.example', external_id = 'auth0|grace', email = NULL,
         display_email = 'Shown@find.example' WHERE id = $1`,
      [ids[0]],
    )
    const found = async (query: string) => {
      const { status, body } = await call('GET', `/users?${query}`)
      expect(status).toBe(200)
      return body.items.map((user: { id: string }) => user.id)
    }
    expect(await found('email=GRACE.hopper@find.example')).toEqual([ids[2]])
    expect(await found('email=shown@find.example')).toEqual([ids[0]])
    expect(await found('externalId=auth0|grace')).toEqual([ids[0]])
    expect(await found('query=grac')).toEqual(ids)
    expect(await found('query=KELLY')).toEqual([ids[1]])
    expect(await found(`query=${ids[1]}`)).toEqual([ids[1]])
    expect(await found('query=nobody-at-all')).toEqual([])
    const first = await call('GET', '/users?query=grac&limit=2')
    expect(first.body).toMatchObject({ items: [{ id: ids[0] }, { id: ids[1] }], nextCursor: ids[1] })
    const second = await call('GET', `/users?query=grac&limit=2&cursor=${first.body.nextCursor}`)
    expect(second.body).toMatchObject({ items: [{ id: ids[2] }], nextCursor: null })
  })

  test('lists users by role and status', async () => {
    const names = ['active', 'disabled', 'boss', 'claim']
    const ids: string[] = []
    for (const name of names) ids.push((await created({ email: `${name}@status.example` })).id)
    await app.db.query('UPDATE users SET disabled_at = now() WHERE id = $1', [ids[1]])
    await app.db.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [ids[2]])
    await app.db.query('UPDATE users SET email_verified_at = NULL WHERE id = $1', [ids[3]])
    const found = async (filter: string) => {
      const { body } = await call('GET', `/users?query=status.example&sort=oldest&withTotal=true&${filter}`)
      expect(body.total).toBe(body.items.length)
      return body.items.map(({ email }: { email: string }) => email.split('@')[0])
    }
    expect(await found('status=active')).toEqual(['active', 'boss', 'claim'])
    expect(await found('status=disabled')).toEqual(['disabled'])
    expect(await found('status=unverified')).toEqual(['claim'])
    expect(await found('role=admin')).toEqual(['boss'])
    expect(await found('role=user&status=active')).toEqual(['active', 'claim'])
    expect((await call('GET', '/users?status=gone')).status).toBe(400)
  })

  test('a search by email finds the owner, not a user whose token claims the same email', async () => {
    const owner = await created({ email: 'owner@find.example' })
    const impostor = await created({ email: 'impostor@find.example' })
    await app.db.query(
      `UPDATE users SET external_issuer = 'https://issuer.example', external_id = 'impostor', email = NULL,
         display_email = 'owner@find.example' WHERE id = $1`,
      [impostor.id],
    )
    const { body } = await call('GET', '/users?email=owner@find.example')
    expect(body.items.map((user: { id: string }) => user.id)).toEqual([owner.id])
  })

  test.each(['limit=0', 'limit=101', 'cursor=x', 'emial=a'])('?%s returns 400', async (query) => {
    expect((await call('GET', `/users?${query}`)).status).toBe(400)
  })
})

test('every call returns 404 for an invalid ID', async () => {
  for (const id of ['nonsense', '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f'])
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const)
      expect((await call(method, `/users/${id}`, body)).status).toBe(404)
})

test('name and quota can be changed, and null resets them', async () => {
  const { id } = await created({ email: 'change@example.com', name: 'Before' })
  expect((await call('PATCH', `/users/${id}`, { name: 'After', quotaBytes: 5 })).body).toMatchObject({
    name: 'After',
    quotaBytes: 5,
  })
  expect((await call('PATCH', `/users/${id}`, { name: null, quotaBytes: null })).body).toMatchObject({
    name: null,
    quotaBytes: null,
  })
  expect((await call('PATCH', `/users/${id}`, {})).status).toBe(400)
})

test('a new password ends all sessions in all replicas, and the old one no longer works', async () => {
  const { id } = await created({ email: 'password@example.com', password: PASSWORD })
  const { data } = await signIn('password@example.com', PASSWORD)
  const before = bearer(data.token)
  expect((await inReplica(replica.services, before, 'account.usage')).status).toBe(200)
  expect((await call('PATCH', `/users/${id}`, { password: `${PASSWORD} 2` })).status).toBe(200)
  for (const { services } of [app, replica])
    expect((await inReplica(services, before, 'account.usage')).status).toBe(401)
  expect((await signIn('password@example.com', PASSWORD)).error?.code).toBe('UNAUTHORIZED')
  expect((await signIn('password@example.com', `${PASSWORD} 2`)).status).toBe(200)
})

test('a disabled user loses sessions, push tokens and pushes in all replicas; enabling restores pushes', async () => {
  const user = await createUser(app, { email: 'disabled@example.com', password: PASSWORD })
  await app.mutate(user, 'devices.register', { platform: 'ios', token: iosToken() })
  const own = await app.tokenOf(user.id)
  const other = await app.tokenOf(admin.id)
  const send = (token: string, more = {}) => replica.send(token, { title: 'a', body: 'b', ...more })
  expect((await send(own)).data).toMatchObject({ sent: 1 })

  const answer = await call('PATCH', `/users/${user.id}`, { disabled: true }, admin.headers)
  expect([answer.status, answer.body.disabled]).toEqual([200, true])
  for (const { services } of [app, replica])
    expect((await inReplica(services, user, 'account.usage')).status).toBe(401)
  expect((await signIn('disabled@example.com', PASSWORD)).error?.code).toBe('UNAUTHORIZED')
  for (const client of [app, replica])
    expect((await client.send(own, { title: 'a', body: 'b' })).status).toBe(401)
  const sent = app.apns.requestLog.accepted.length
  expect((await send(other, { userId: user.id })).data.sent ?? 0).toBe(0)
  expect(app.apns.requestLog.accepted).toHaveLength(sent)

  expect((await call('PATCH', `/users/${user.id}`, { disabled: false })).body.disabled).toBe(false)
  expect((await inReplica(replica.services, user, 'account.usage')).status).toBe(401)
  expect((await send(own)).data).toMatchObject({ sent: 1 })
  expect((await signIn('disabled@example.com', PASSWORD)).status).toBe(200)
})

test('deleting a user has the same effect as the user’s own deletion, and the audit log says who did it', async () => {
  const user = await createUser(app, { email: 'deleted@example.com', password: PASSWORD })
  await app.mutate(user, 'devices.register', { platform: 'ios', token: iosToken() })
  const token = await app.tokenOf(user.id)
  expect(await call('DELETE', `/users/${user.id}`, undefined, admin.headers)).toEqual({
    status: 202,
    body: { id: user.id },
  })
  expect((await inReplica(replica.services, user, 'account.usage')).status).toBe(401)
  expect((await replica.send(token, { title: 'a', body: 'b' })).status).toBe(401)
  expect((await call('GET', `/users/${user.id}`)).status).toBe(404)
  expect((await call('POST', '/users', { email: 'deleted@example.com' })).status).toBe(201)
  const { body } = await call('GET', `/audit?userId=${user.id}&action=account.deleted`)
  expect(body.items).toMatchObject([{ actor: `user:${admin.id}`, userId: user.id, address: '192.0.2.1' }])
})

test('administrators cannot disable or delete themselves', async () => {
  for (const [method, body] of [['PATCH', { disabled: true }], ['DELETE']] as const)
    expect(await call(method, `/users/${admin.id}`, body, admin.headers)).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('yourself') } },
    })
  expect((await call('GET', '/users', undefined, admin.headers)).status).toBe(200)
})

test('the audit log lists sign-ins and failures, passwords, ended sessions, push tokens, sends and admin calls, page by page', async () => {
  const { id } = await created({ email: 'trail@example.com', password: PASSWORD })
  await signIn('trail@example.com', 'a wrong password!')
  const { data } = await signIn('trail@example.com', PASSWORD)
  const session = bearer(data.token)
  await inReplica(app.services, session, 'devices.register', { platform: 'ios', token: iosToken() })
  const token = await app.tokenOf(id)
  await app.send(token, { title: 'a', body: 'b' })
  await app.send(token, { title: 'a', body: 'b', all: true })
  await inReplica(app.services, session, 'account.signOutEverywhere')
  await call('PATCH', `/users/${id}`, { password: `${PASSWORD} 2` })
  await call('GET', `/users/${id}`)
  const actions: string[] = []
  let cursor = ''
  do {
    const { body } = await call('GET', `/audit?userId=${id}&limit=4${cursor && `&cursor=${cursor}`}`)
    actions.push(...body.items.map((entry: { action: string }) => entry.action))
    cursor = body.nextCursor ?? ''
  } while (cursor !== '')
  expect(actions).toEqual([
    'admin.called',
    'admin.called',
    'password.changed',
    'session.ended',
    'push.broadcast',
    'push.sent',
    'push.token.created',
    'session.created',
    'session.refused',
    'account.created',
  ])
  expect((await call('GET', '/audit?action=push.broadcast&limit=1')).body.items).toMatchObject([
    { action: 'push.broadcast', userId: id, details: { category: 'general', title: 'a' } },
  ])
  expect((await call('GET', '/audit?userId=nonsense')).body).toEqual({ items: [], nextCursor: null })
  expect((await call('GET', '/audit?who=me')).status).toBe(400)
})

test('the audit log has the ID of what an administrator created, and each changed field with its old and new value, but no secret', async () => {
  const { id } = await created({
    email: 'audited@example.com',
    password: PASSWORD,
    name: 'Ada',
    quotaBytes: 5,
  })
  await call(
    'PATCH',
    `/users/${id}`,
    { name: 'Grace', quotaBytes: 5, password: `${PASSWORD} 2` },
    admin.headers,
  )
  await call('PATCH', `/users/${id}`, { name: null, quotaBytes: null }, admin.headers)
  const secretUrl = (path: string) => `https://hooks.example.com/${path}?key=a-secret`
  const webhook = (
    await call('POST', '/webhooks', { url: secretUrl('a'), events: ['file.ready'] }, admin.headers)
  ).body
  const events = ['file.ready', 'file.deleted']
  const change = { url: secretUrl('b'), events, description: 'Stock service', active: false }
  expect((await call('PATCH', `/webhooks/${webhook.id}`, change, admin.headers)).body).toMatchObject(change)
  await call('PATCH', `/webhooks/${webhook.id}`, { description: null }, admin.headers)
  const pushToken = (await call('POST', '/push-tokens', { userId: id, name: 'ci' }, admin.headers)).body
  const { rows } = await app.db.query(
    `SELECT action, actor, subject_id, details FROM audit_entries
     WHERE user_id = $1 OR subject_id = ANY($2) ORDER BY id`,
    [id, [id, webhook.id, pushToken.id]],
  )
  const by = (action: string) => rows.filter((row) => row.action === action)
  expect(by('account.created')).toMatchObject([{ actor: 'admin', details: { quotaBytes: 5 } }])
  const changed = (field: string, old: unknown, value: unknown) => ({
    actor: `user:${admin.id}`,
    details: { field, old, new: value },
  })
  expect(by('user.changed')).toMatchObject([
    changed('name', 'Ada', 'Grace'),
    changed('name', 'Grace', null),
    changed('quotaBytes', 5, null),
  ])
  expect(by('webhook.changed')).toMatchObject([
    changed('url', 'https://hooks.example.com', 'https://hooks.example.com'),
    changed('events', 'file.ready', 'file.ready file.deleted'),
    changed('description', null, 'Stock service'),
    changed('active', true, false),
    changed('description', 'Stock service', null),
  ])
  expect(by('admin.called').filter(({ details }) => details.status === 201)).toMatchObject([
    { subject_id: id, details: { path: '/api/admin/users' } },
    { subject_id: webhook.id, details: { path: '/api/admin/webhooks' } },
    { subject_id: pushToken.id, details: { path: '/api/admin/push-tokens' } },
  ])
  const text = JSON.stringify(rows)
  for (const secret of [PASSWORD, 'a-secret', webhook.secret, pushToken.token])
    expect(text).not.toContain(secret)
  await call('DELETE', `/webhooks/${webhook.id}`)
})
