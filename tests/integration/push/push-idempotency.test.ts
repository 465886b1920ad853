import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { until } from '../../support/until.ts'

let app: PushApp
let other: Awaited<ReturnType<PushApp['replica']>>

beforeAll(async () => {
  app = await startPushApp()
  other = await app.replica()
})
afterAll(() => app.close())
afterEach(() => app.apns.faults.reset())

const hello = { title: 'Hello', body: 'World', data: { a: 1, b: { c: 2, d: 3 } } }
const key = (value: string) => ({ 'idempotency-key': value })

async function withPhone() {
  const user = await app.user()
  const token = await app.tokenOf(user.id)
  const { tokens } = await seedDevices(app.db, 1, { userId: user.id, platform: 'ios' })
  return { user, token, pushes: () => app.apns.requestLog.acceptedFor(tokens[0]!), phone: tokens[0]! }
}

describe('an Idempotency-Key', () => {
  test('returns the first response again, byte for byte, and sends nothing more', async () => {
    const { token, pushes } = await withPhone()
    const first = await app.send(token, hello, key('k'))
    const reordered = { data: { b: { d: 3, c: 2 }, a: 1 }, body: 'World', title: 'Hello' }
    for (const [replica, body] of [
      [app, hello],
      [other, hello],
      [other, reordered],
    ] as const) {
      const again = await replica.send(token, body, key('k'))
      expect(again.status).toBe(200)
      expect(JSON.stringify(again.data)).toBe(JSON.stringify(first.data))
    }
    expect(pushes()).toHaveLength(1)
    await app.send(token, hello)
    expect(pushes()).toHaveLength(2)
  })

  test('used at once by two equal requests to two replicas causes one push and two equal responses', async () => {
    const { token, pushes } = await withPhone()
    app.apns.faults.set({ latencyMs: 300 })
    const answers = await Promise.all(
      [app, other, app, other].map((replica) => replica.send(token, hello, key('same instant'))),
    )
    expect(answers.map((a) => a.status)).toEqual([200, 200, 200, 200])
    for (const { data } of answers) expect(data).toEqual(answers[0]!.data)
    expect(pushes()).toHaveLength(1)
  })

  test('turns two requests into one broadcast', async () => {
    const { token, pushes } = await withPhone()
    const answers = await Promise.all(
      [app, other].map((replica) => replica.send(token, { ...hello, all: true }, key('b'))),
    )
    expect(answers.map((a) => a.status)).toEqual([202, 202])
    expect(answers[1]!.data).toEqual(answers[0]!.data)
    await app.completed(token, answers[0]!.data.id)
    expect((await app.send(token, { ...hello, all: true }, key('b'))).data.status).toBe('queued')
    expect(pushes()).toHaveLength(1)
  })

  test('with a different body returns 409, even while the first request is in progress', async () => {
    const { token, pushes } = await withPhone()
    app.apns.faults.set({ hold: true })
    const first = app.send(token, hello, key('k'))
    await until('APNs holds a push', () => app.apns.faults.holding > 0)
    const early = await other.send(token, { ...hello, title: 'Bye' }, key('k'))
    app.apns.faults.set({ hold: false })
    await first
    const late = await other.send(token, { ...hello, title: 'Bye' }, key('k'))
    for (const { status, data } of [early, late]) {
      expect(status).toBe(409)
      expect(data.error.code).toBe('CONFLICT')
    }
    expect(pushes()).toHaveLength(1)
  })

  test('is separate for each push token', async () => {
    const { user, token, pushes } = await withPhone()
    await app.send(token, hello, key('k'))
    await app.send(await app.tokenOf(user.id), hello, key('k'))
    expect(pushes()).toHaveLength(2)
  })

  test('can be reused after a rejection', async () => {
    const { token, user } = await withPhone()
    const unknown = { ...hello, userId: 'nobody' }
    expect((await app.send(token, unknown, key('k'))).status).toBe(404)
    expect((await app.send(token, { ...hello, body: 'x'.repeat(5000) }, key('k'))).status).toBe(413)
    expect((await app.send(token, { ...hello, userId: user.id }, key('k'))).status).toBe(200)
  })

  test('is valid for 24 hours', async () => {
    const { token, pushes } = await withPhone()
    await app.send(token, hello, key('k'))
    await app.db.query(`UPDATE idempotency_keys SET created_at = now() - interval '24 hours 1 s'`)
    expect((await app.send(token, { ...hello, title: 'New' }, key('k'))).status).toBe(200)
    expect(pushes()).toHaveLength(2)
  })

  test('makes a second request wait up to 10 s, then return 409 with Retry-After', async () => {
    const { token } = await withPhone()
    await app.send(token, hello, key('slow'))
    // Imitates a first request still in progress, in a replica that extends its lease.
    await app.db.query(
      `UPDATE idempotency_keys SET leased_until = now() + interval '1 hour', http_status = NULL WHERE key = 'slow'`,
    )
    const started = performance.now()
    const second = await other.send(token, hello, key('slow'))
    const waitedMs = performance.now() - started
    expect(second.status).toBe(409)
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(waitedMs).toBeGreaterThan(9_000)
    // The first request's lease lasts for an hour.
    expect(waitedMs).toBeLessThan(50_000)
  })
})
