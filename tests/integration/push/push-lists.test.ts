import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { MAX_FAILURE_ROWS } from '../../../src/server/adapters/postgres/push/messages/failure-rows.ts'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'

let app: PushApp
let token: string

beforeAll(async () => {
  app = await startPushApp()
  token = await app.tokenOf((await app.user()).id)
})
afterEach(() => app.apns.faults.reset())
afterAll(() => app.close())

const rejection = { do: { kind: 'reject', reason: 'PayloadEmpty' } } as const

describe('GET /api/push/messages', () => {
  test('pages through the token’s own messages, newest first, without those of others', async () => {
    const other = await app.tokenOf((await app.user()).id)
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      ids.unshift((await app.send(token, { title: `title ${n}`, body: 'b' })).data.id)
      await app.send(other, { title: 'of another', body: 'b' })
    }
    const seen: string[] = []
    let cursor = ''
    for (let page = 0; page < 3; page++) {
      const { status, data } = await app.messages(token, `?limit=2${cursor}`)
      expect(status).toBe(200)
      seen.push(...data.items.map((m: { id: string }) => m.id))
      cursor = `&cursor=${data.nextCursor}`
      expect(data.nextCursor === null).toBe(page === 2)
    }
    expect(seen).toEqual(ids)
    const { data } = await app.messages(token)
    const { title, createdAt, ...view } = data.items[0]
    expect(title).toBe('title 4')
    expect(Date.parse(createdAt)).toBeGreaterThan(Date.now() - 60_000)
    expect(view).toEqual((await app.message(token, ids[0]!)).data)
  })

  test.each(['?cursor=x', '?limit=0', '?limit=101', '?limit=a', '?page=2'])(
    'returns 400 for %s',
    async (query) => {
      expect((await app.messages(token, query)).status).toBe(400)
    },
  )

  test('returns 401 without a push token', async () => {
    expect((await app.messages(undefined)).status).toBe(401)
    expect((await app.messages('ph_unknown')).status).toBe(401)
  })
})

describe('GET /api/push/messages/{id}/failures', () => {
  test('lists the failed devices of a broadcast in pages, each with its user', async () => {
    const { ids, userIds } = await seedDevices(app.db, 250, { platform: 'ios' })
    app.apns.faults.add(rejection)
    const { data } = await app.send(token, { title: 't', body: 'b', all: true })
    expect(await app.completed(token, data.id)).toMatchObject({ failed: 250 })
    const items: { deviceId: string; userId: string; at: string }[] = []
    for (let cursor = ''; ; ) {
      const page = await app.failures(token, data.id, `?limit=100${cursor}`)
      expect(page.status).toBe(200)
      items.push(...page.data.items)
      if (page.data.nextCursor === null) break
      cursor = `&cursor=${page.data.nextCursor}`
    }
    expect(items.map((i) => i.deviceId).sort()).toEqual([...ids].sort())
    for (const item of items) {
      const userId = userIds[ids.indexOf(item.deviceId)]
      expect(item).toEqual({ ...item, userId, platform: 'ios', reason: 'PayloadEmpty' })
      expect(Date.parse(item.at)).not.toBeNaN()
    }
  })

  test('works for a push to one user, but only for its token and the administrator', async () => {
    const user = await app.user()
    const { ids } = await seedDevices(app.db, 1, { userId: user.id, platform: 'ios' })
    app.apns.faults.add(rejection)
    const { data } = await app.send(token, { title: 't', body: 'b', userId: user.id })
    expect(data).toMatchObject({ failed: 1, failures: [{ reason: 'PayloadEmpty' }] })
    for (const bearer of [token, ADMIN_SECRET])
      expect((await app.failures(bearer, data.id)).data).toMatchObject({
        items: [{ deviceId: ids[0], userId: user.id }],
        nextCursor: null,
      })
    const other = await app.tokenOf(user.id)
    expect((await app.failures(other, data.id)).status).toBe(404)
    expect((await app.failures(token, randomUUID())).status).toBe(404)
    expect((await app.failures(token, data.id, '?cursor=x')).status).toBe(400)
  })

  test(`keeps the first ${MAX_FAILURE_ROWS} failures of a message`, async () => {
    await seedDevices(app.db, 600, { platform: 'ios' })
    app.apns.faults.set({ hold: true })
    app.apns.faults.add(rejection)
    const { data } = await app.send(token, { title: 't', body: 'b', all: true })
    await app.db.query(
      `INSERT INTO push_failures (message_id, device_id, platform, reason)
       SELECT $1, gen_random_uuid(), 'ios', 'before' FROM generate_series(1, $2::int)`,
      [data.id, MAX_FAILURE_ROWS - 10],
    )
    app.apns.faults.set({ hold: false })
    expect((await app.completed(token, data.id)).failed).toBeGreaterThanOrEqual(600)
    const { rows } = await app.db.query(
      'SELECT count(*)::int AS n FROM push_failures WHERE message_id = $1',
      [data.id],
    )
    expect(rows[0].n).toBe(MAX_FAILURE_ROWS)
  })
})
