import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLIENT_ADDRESS_HEADER } from '../../../src/server/api/http/request-info.ts'
import { type PushApp, startPushApp } from '../../support/app/push-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import type { TestUser } from '../../support/users.ts'

let app: PushApp
let user: TestUser

beforeAll(async () => {
  app = await startPushApp({ idle: true })
  user = await app.user()
})
afterAll(() => app.close())

const from = (address: string) => ({ [CLIENT_ADDRESS_HEADER]: address })
const DAY_MS = 86_400_000

describe('POST /api/push/token', () => {
  test('returns 256 random bits once, stores only their SHA-256, and reports when they expire', async () => {
    const before = Date.now()
    const { status, data, headers } = await app.createToken({
      userId: user.id,
      name: 'ci',
      expiresInDays: 30,
    })
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(data).toEqual({ token: expect.any(String), expiresAt: expect.any(String), id: expect.any(String) })
    expect(data.token).toMatch(/^ph_[A-Za-z0-9_-]{43}$/)
    expect(data.expiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const createdAt = Date.parse(data.expiresAt) - 30 * DAY_MS
    expect(createdAt).toBeGreaterThanOrEqual(before)
    expect(createdAt).toBeLessThanOrEqual(Date.now())
    const { rows } = await app.db.query('SELECT * FROM push_tokens WHERE id = $1', [data.id])
    expect(rows[0].hash).toBe(createHash('sha256').update(data.token).digest('hex'))
    expect(JSON.stringify(rows)).not.toContain(data.token)
    const audit = await app.db.query(`SELECT * FROM audit_entries WHERE subject_id = $1`, [data.id])
    // The audit page and the CSV show one text, as for other keys.
    const details = { userId: user.id, name: 'ci', scopes: 'self users broadcast', expiresAt: data.expiresAt }
    expect(audit.rows).toMatchObject([{ action: 'push.token.created', details }])
    expect(JSON.stringify(audit.rows)).not.toContain(data.token)
  })

  test('is valid for 365 days and can broadcast by default', async () => {
    const { data } = await app.createToken({ userId: user.id, name: 'defaults' })
    const { rows } = await app.db.query('SELECT * FROM push_tokens WHERE id = $1', [data.id])
    expect(rows[0].allow_broadcast).toBe(true)
    expect(rows[0].expires_at - rows[0].created_at).toBe(365 * DAY_MS)
  })

  test.each([randomUUID(), 'x', ''])('returns 404 for the unknown user %j', async (userId) => {
    const { status, data } = await app.createToken({ userId, name: 'n' })
    expect(status).toBe(404)
    expect(data.error.code).toBe('NOT_FOUND')
  })

  test.each([
    ['no name', {}, 'name'],
    ['an empty name', { name: ' ' }, 'name'],
    ['a name of 101 characters', { name: 'n'.repeat(101) }, 'name'],
    ['NUL in the name', { name: 'a\0b' }, 'name'],
    ['0 days', { name: 'n', expiresInDays: 0 }, 'expiresInDays'],
    ['3651 days', { name: 'n', expiresInDays: 3651 }, 'expiresInDays'],
    ['half a day', { name: 'n', expiresInDays: 0.5 }, 'expiresInDays'],
    ['days as text', { name: 'n', expiresInDays: '30' }, 'expiresInDays'],
    ['no scope', { name: 'n', scopes: [] }, 'scopes'],
    ['an unknown scope', { name: 'n', scopes: ['all'] }, 'scopes.0'],
    ['a scope twice', { name: 'n', scopes: ['self', 'self'] }, 'scopes'],
    [
      'scopes that contradict allowBroadcast',
      { name: 'n', scopes: ['self'], allowBroadcast: true },
      'scopes',
    ],
    [
      'broadcast that contradicts allowBroadcast',
      { name: 'n', scopes: ['broadcast'], allowBroadcast: false },
      'scopes',
    ],
    ['an unknown field', { name: 'n', expireInDays: 30 }, 'expireInDays'],
    ['a number for allowBroadcast', { name: 'n', allowBroadcast: 1 }, 'allowBroadcast'],
  ])('returns 400 for %s and names the field', async (_, body, field) => {
    const { status, data } = await app.createToken({ userId: user.id, ...body })
    expect(status).toBe(400)
    expect(data.error.code).toBe('BAD_REQUEST')
    expect(Object.keys(data.error.fieldErrors)).toEqual([field])
    expect(data.error.message).toContain(field)
  })

  test('accepts the limits: 1 and 3,650 days, names of 1 and 100 characters', async () => {
    for (const body of [
      { name: 'n', expiresInDays: 1 },
      { name: 'n'.repeat(100), expiresInDays: 3650 },
    ])
      expect((await app.createToken({ userId: user.id, ...body })).status).toBe(200)
  })

  test.each([
    ['a list', '[]'],
    ['no JSON', '{"userId":'],
    ['nothing', ''],
  ])('returns 400 for %s', async (_, body) => {
    const { status, data } = await app.createToken(body)
    expect(status).toBe(400)
    expect(data.error.code).toBe('BAD_REQUEST')
  })

  test('returns an example body, which it then accepts', async () => {
    const { data } = await app.createToken('[]')
    const example = JSON.parse(/\{.*\}/.exec(data.error.message)![0])
    expect((await app.createToken({ ...example, userId: user.id })).status).toBe(200)
  })

  test('returns 400 without the JSON content type and 413 for a huge body', async () => {
    const plain = await app.createToken('{}', undefined, { 'content-type': 'text/plain' })
    expect(plain.status).toBe(400)
    const huge = await app.createToken({ userId: user.id, name: 'n'.repeat(300_000) })
    expect(huge.status).toBe(413)
    expect(huge.data.error.code).toBe('PAYLOAD_TOO_LARGE')
  })
})

describe('the admin secret', () => {
  test('is checked before the body, by every token endpoint', async () => {
    const bad = 'w'.repeat(40)
    const { data } = await app.createToken({ userId: user.id, name: 'n' })
    const answers = await Promise.all([
      app.createToken('no json', bad, from('198.51.100.1')),
      app.createToken('no json', data.token, from('198.51.100.1')),
      app.listTokens(`?userId=${user.id}`, bad),
      app.revokeToken(data.id, bad),
    ])
    for (const { status, headers, data } of answers) {
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toBe('Bearer')
      expect(data.error.code).toBe('UNAUTHORIZED')
    }
    expect((await app.send(data.token, { title: 't', body: 'b' })).status).toBe(200)
  })

  test('can be wrong 20 times a minute from one address, across replicas; then the status is 429', async () => {
    const other = await app.replica()
    const address = from('198.51.100.2')
    const guess = (n: number) =>
      (n % 2 ? app : other).createToken({}, `guess-${n}-${'x'.repeat(32)}`, address)
    const answers = await Promise.all(Array.from({ length: 25 }, (_, n) => guess(n)))
    expect(answers.filter((a) => a.status === 401)).toHaveLength(20)
    const rejected = answers.filter((a) => a.status === 429)
    expect(rejected).toHaveLength(5)
    expect(rejected[0]!.data.error.code).toBe('TOO_MANY_REQUESTS')
    expect(Number(rejected[0]!.headers.get('retry-after'))).toBeGreaterThan(0)
    // A correct secret must also get 429 now; otherwise guessing could continue.
    const right = await app.createToken({ userId: user.id, name: 'n' }, undefined, address)
    expect(right.status).toBe(429)
    expect(
      (await app.createToken({ userId: user.id, name: 'n' }, undefined, from('198.51.100.3'))).status,
    ).toBe(200)
  })

  test('can be wrong 20 times a minute where push tokens are accepted, without affecting other endpoints', async () => {
    const address = from('198.51.100.5')
    const ask = (bearer: string) => app.message(bearer, randomUUID(), address)
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, n) => ask(`guess-${n}-${'x'.repeat(32)}`)),
    )
    expect(answers.filter((a) => a.status === 401)).toHaveLength(20)
    expect(answers.filter((a) => a.status === 429)).toHaveLength(5)
    expect((await ask(ADMIN_SECRET)).status).toBe(429)
    expect((await app.createToken({ userId: user.id, name: 'n' }, undefined, address)).status).toBe(200)
    await expect(app.services.metricsGate(ADMIN_SECRET, '198.51.100.5')).resolves.toBeUndefined()
  })

  test('is never rejected because of wrong push tokens or requests without a credential', async () => {
    const address = from('198.51.100.6')
    const { data } = await app.createToken({ userId: user.id, name: 'n' })
    await app.revokeToken(data.id)
    for (let n = 0; n < 25; n++) {
      const bearer = n % 2 ? data.token : `ph_${randomBytes(32).toString('base64url')}`
      expect((await app.message(bearer, randomUUID(), address)).status).toBe(401)
      expect((await app.createToken({}, '', address)).status).toBe(401)
    }
    expect((await app.message(ADMIN_SECRET, randomUUID(), address)).status).toBe(404)
    expect((await app.createToken({ userId: user.id, name: 'n' }, undefined, address)).status).toBe(200)
    await expect(app.services.metricsGate(ADMIN_SECRET, '198.51.100.6')).resolves.toBeUndefined()
  })

  test('can be correct any number of times', async () => {
    const address = from('198.51.100.4')
    for (let n = 0; n < 25; n++)
      expect((await app.createToken({ userId: user.id, name: 'n' }, undefined, address)).status).toBe(200)
  })
})

describe('wrong push tokens', () => {
  const wrong = () => `ph_${randomBytes(32).toString('base64url')}`
  const hello = { title: 't', body: 'b' }
  const counted = (address: string, count: number) =>
    app.db.query('INSERT INTO rate_limits (key, points, expire) VALUES ($1, $2, $3)', [
      `push-token:${address}`,
      count,
      Date.now() + 60_000,
    ])

  test('get 401 up to 300 times a minute per IPv6 network, then 429, at every endpoint; a correct one is accepted', async () => {
    const token = await app.tokenOf(user.id)
    await counted('2001:db8:7:7::/64', 298)
    const host = (n: number) => from(`2001:db8:7:7::${n}`)
    expect((await app.send(wrong(), hello, host(1))).status).toBe(401)
    expect((await app.message(wrong(), randomUUID(), host(2))).status).toBe(401)
    const rejected = [
      await app.send(wrong(), hello, host(3)),
      await app.send('nonsense', hello, host(4)),
      await app.message(wrong(), randomUUID(), host(5)),
      await app.messages(wrong(), '', host(6)),
    ]
    for (const { status, headers, data } of rejected) {
      expect(status).toBe(429)
      expect(data.error.code).toBe('TOO_MANY_REQUESTS')
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await app.send(token, hello, host(7))).status).toBe(200)
    expect((await app.messages(token, '', host(8))).status).toBe(200)
    expect((await app.send(wrong(), hello, from('2001:db8:7:8::1'))).status).toBe(401)
  })

  test('do not include requests without a token', async () => {
    await counted('198.51.100.77', 300)
    expect((await app.send(undefined, hello, from('198.51.100.77'))).status).toBe(401)
  })
})

describe('GET and DELETE /api/push/token', () => {
  test('list a user’s tokens without the secrets, newest first, and revoke them permanently', async () => {
    const owner = await app.user()
    const first = (await app.createToken({ userId: owner.id, name: 'one' })).data
    const second = (await app.createToken({ userId: owner.id, name: 'two', allowBroadcast: false })).data
    await app.send(first.token, { title: 't', body: 'b' })
    const list = async () => (await app.listTokens(`?userId=${owner.id}`)).data.items
    expect(await list()).toEqual([
      {
        id: second.id,
        name: 'two',
        userId: owner.id,
        allowBroadcast: false,
        scopes: ['self', 'users'],
        createdAt: expect.any(String),
        expiresAt: second.expiresAt,
        lastUsedAt: null,
        revokedAt: null,
      },
      expect.objectContaining({
        id: first.id,
        allowBroadcast: true,
        scopes: ['self', 'users', 'broadcast'],
        lastUsedAt: expect.any(String),
      }),
    ])
    expect((await app.revokeToken(first.id)).status).toBe(204)
    const revokedAt = (await list())[1].revokedAt
    expect(revokedAt).toEqual(expect.any(String))
    expect((await app.revokeToken(first.id)).status).toBe(204)
    expect((await list())[1].revokedAt).toBe(revokedAt)
    expect((await app.send(first.token, { title: 't', body: 'b' })).status).toBe(401)
    const audit = await app.db.query(`SELECT action FROM audit_entries WHERE subject_id = $1 ORDER BY at`, [
      first.id,
    ])
    expect(audit.rows.map((r) => r.action)).toEqual(['push.token.created', 'push.token.revoked'])
  })

  test('return 404 for an unknown ID and 400 without a userId', async () => {
    for (const id of [randomUUID(), 'x']) {
      const { status, data } = await app.revokeToken(id)
      expect(status).toBe(404)
      expect(data.error.code).toBe('NOT_FOUND')
    }
    expect((await app.listTokens('')).status).toBe(400)
    expect((await app.listTokens(`?userId=${randomUUID()}`)).data).toEqual({ items: [] })
  })
})
