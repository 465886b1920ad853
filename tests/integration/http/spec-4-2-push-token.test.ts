// docs/spec.md section 4.2 and its part of section 5, over HTTP against the built server.

import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_SECRET } from '../../support/process/built-server.ts'
import { type SharedServer, sharedServer } from '../../support/process/shared-server.ts'
import { testPool } from '../../support/test-pool.ts'
import type { TestUser } from '../../support/users.ts'

let server: SharedServer
let user: TestUser

beforeAll(async () => {
  server = await sharedServer()
  // An earlier file of this worker can have sent 20 wrong admin secrets within a minute.
  await testPool(server.databaseUrl).query('DELETE FROM rate_limits')
  user = await server.user()
})

const create = (body: unknown, secret: string | null = ADMIN_SECRET) =>
  server.post('/api/push/token', secret, body)

describe('POST /api/push/token', () => {
  test('returns token and expiresAt; the token works on the send endpoint', async () => {
    const before = Date.now()
    const answer = await create({ userId: user.id, name: 'script', expiresInDays: 30 })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      token: expect.stringMatching(/^ph_[\w-]{43}$/),
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      id: expect.any(String),
    })
    const days = (Date.parse(answer.body.expiresAt) - before) / 86_400_000
    expect(days).toBeGreaterThan(29.99)
    expect(days).toBeLessThan(30.01)
    expect((await server.post('/api/push/send', answer.body.token, { title: 't', body: 'b' })).status).toBe(
      200,
    )
  })

  test('without expiresInDays, the token is valid for 365 days', async () => {
    const { body } = await create({ userId: user.id, name: 'script' })
    expect(Math.round((Date.parse(body.expiresAt) - Date.now()) / 86_400_000)).toBe(365)
  })

  test.each([
    ['no credential', null],
    ['a wrong secret', 'x'.repeat(40)],
    ['a prefix of the secret', ADMIN_SECRET.slice(0, -1)],
  ])('%s returns 401 with WWW-Authenticate, before the body is read', async (_, secret) => {
    const answer = await create('not json', secret)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(answer.body).toEqual({
      error: { code: 'UNAUTHORIZED', message: expect.any(String) },
      requestId: answer.headers.get('x-request-id'),
    })
  })

  test('an unknown user returns 404', async () => {
    for (const userId of [randomUUID(), 'nobody', "' OR 1=1 --"]) {
      const answer = await create({ userId, name: 'n', expiresInDays: 1 })
      expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND'])
    }
  })

  test.each([
    ['name', { name: '' }],
    ['name', { name: 'n'.repeat(101) }],
    ['name', { name: 7 }],
    ['expiresInDays', { expiresInDays: 0 }],
    ['expiresInDays', { expiresInDays: 3651 }],
    ['expiresInDays', { expiresInDays: 1.5 }],
    ['expiresInDays', { expiresInDays: '30' }],
    ['userId', { userId: undefined }],
    ['user', { user: 'typo' }],
  ])('an invalid %s returns 400, which names it: %j', async (field, change) => {
    const answer = await create({ userId: user.id, name: 'n', expiresInDays: 1, ...change })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'BAD_REQUEST'])
    expect(Object.keys(answer.body.error.fieldErrors)).toEqual([field])
  })

  test.each([1, 3650])('expiresInDays %d is accepted', async (expiresInDays) => {
    expect((await create({ userId: user.id, name: 'n'.repeat(100), expiresInDays })).status).toBe(200)
  })

  test('GET lists without the raw token, DELETE revokes', async () => {
    const owner = await server.user()
    const made = (await create({ userId: owner.id, name: 'one' })).body
    const list = await server.get(`/api/push/token?userId=${owner.id}`, ADMIN_SECRET)
    expect(list.body.items).toEqual([
      {
        id: made.id,
        name: 'one',
        userId: owner.id,
        allowBroadcast: true,
        scopes: ['self', 'users', 'broadcast'],
        createdAt: expect.any(String),
        expiresAt: made.expiresAt,
        lastUsedAt: null,
        revokedAt: null,
      },
    ])
    expect(list.text).not.toContain(made.token)
    const revoke = await fetch(`${server.url}/api/push/token/${made.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${ADMIN_SECRET}` },
    })
    expect(revoke.status).toBe(204)
    expect((await server.post('/api/push/send', made.token, { title: 't', body: 'b' })).status).toBe(401)
  })
})
