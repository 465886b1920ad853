// A wrong topic, project or environment in our configuration looks like bad device tokens, and must not disable devices.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDb } from '../../../src/server/adapters/postgres/db.ts'
import { createCircuitBreakers } from '../../../src/server/adapters/postgres/push/delivery/circuit-breakers.ts'
import { createMessageRepo } from '../../../src/server/adapters/postgres/push/messages/message-repo.ts'
import {
  countAudience,
  countFailure,
  countOutcome,
  emptyCounts,
} from '../../../src/server/domain/push/messages/counts.ts'
import { newId } from '../../../src/server/kernel/ids.ts'
import { createVapidKeys } from '../../../src/server/kernel/vapid-keys.ts'
import { iosToken, type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { quietLog } from '../../support/emulators/push-gateways.ts'
import { until } from '../../support/until.ts'

let app: PushApp
let token: string
beforeEach(async () => {
  app = await startPushApp()
  token = await app.tokenOf((await app.user()).id)
})
afterEach(() => app.close())

const hello = { title: 'Hello', body: 'World' }
const everyone = { ...hello, all: true }
const wrongTopic = { do: { kind: 'reject', reason: 'DeviceTokenNotForTopic' } } as const

const disabled = async () => {
  const { rows } = await app.db.query('SELECT id FROM devices WHERE disabled_reason IS NOT NULL ORDER BY id')
  return rows.map((row): string => row.id)
}

const isOpen = async (upstream: string) => {
  const text = await app.services.metrics.text()
  const [, value] = text.match(new RegExp(`pigeonhole_push_circuit_open{upstream="${upstream}"} (\\d)`)) ?? []
  return value === '1'
}

describe('60 pushes to one user each', () => {
  test('with a wrong topic, no device stays disabled, and the messages count them as failed', async () => {
    const { userIds } = await seedDevices(app.db, 60, { platform: 'ios' })
    app.apns.faults.add(wrongTopic)
    for (const userId of userIds) expect((await app.send(token, { ...hello, userId })).status).toBe(200)
    expect(await disabled()).toEqual([])
    expect(await isOpen('ios')).toBe(true)
    expect(await isOpen('ios-sandbox')).toBe(false)
    expect(await isOpen('android')).toBe(false)
    const { rows } = await app.db.query(
      'SELECT sum(failed)::int AS failed, sum(removed)::int AS removed, min(jsonb_array_length(failures)) AS listed FROM push_messages',
    )
    expect(rows).toEqual([{ failed: 60, removed: 0, listed: 1 }])
    const listed = await app.db.query('SELECT count(DISTINCT message_id)::int AS n FROM push_failures')
    expect(listed.rows).toEqual([{ n: 60 }])
  })

  test('sent in parallel by two replicas: no device stays disabled', async () => {
    const other = await app.replica()
    const { userIds } = await seedDevices(app.db, 60, { platform: 'ios' })
    app.apns.faults.add(wrongTopic)
    await Promise.all(
      userIds.map((userId, n) => (n % 2 === 0 ? app : other).send(token, { ...hello, userId })),
    )
    expect(await disabled()).toEqual([])
  })

  test('after many accepted pushes, no device is disabled, except one that already was', async () => {
    const { userIds, ids, tokens } = await seedDevices(app.db, 100, { platform: 'ios' })
    app.apns.faults.add({ device: tokens[10]!, ...wrongTopic })
    for (const userId of userIds.slice(0, 40)) await app.send(token, { ...hello, userId })
    expect(await disabled()).toEqual([ids[10]])
    app.apns.faults.add(wrongTopic)
    for (const userId of userIds.slice(40)) await app.send(token, { ...hello, userId })
    expect(await disabled()).toEqual([ids[10]])
    expect(await isOpen('ios')).toBe(true)
  })

  test('19 suspects are too few to blame the configuration, so the devices are disabled', async () => {
    const { userIds, ids } = await seedDevices(app.db, 19, { platform: 'android' })
    app.fcm.faults.add({ do: { kind: 'reject', reason: 'SENDER_ID_MISMATCH' } })
    for (const userId of userIds)
      expect((await app.send(token, { ...hello, userId })).data).toMatchObject({ removed: 1, failed: 0 })
    expect(await disabled()).toEqual(ids)
  })

  test('the breaker closes when pushes are accepted again, and suspects are then disabled', async () => {
    const { userIds, ids, tokens } = await seedDevices(app.db, 60, { platform: 'android' })
    app.fcm.faults.add({ do: { kind: 'reject', reason: 'SENDER_ID_MISMATCH' } })
    for (const userId of userIds.slice(0, 30)) await app.send(token, { ...hello, userId })
    expect(await isOpen('android')).toBe(true)
    app.fcm.faults.reset()
    for (const userId of userIds.slice(30)) await app.send(token, { ...hello, userId })
    await until('the breaker is closed', () => isOpen('android').then((open) => !open))
    app.fcm.faults.add({ device: tokens[0]!, do: { kind: 'reject', reason: 'SENDER_ID_MISMATCH' } })
    expect((await app.send(token, { ...hello, userId: userIds[0] })).data).toMatchObject({ removed: 1 })
    expect(await disabled()).toEqual([ids[0]])
  })

  test('a replica whose pushes are accepted again closes the breaker for the other replica', async () => {
    const other = await app.replica()
    await other.services.start()
    const { userIds } = await seedDevices(app.db, 60, { platform: 'ios' })
    app.apns.faults.add(wrongTopic)
    for (const userId of userIds.slice(0, 25)) await app.send(token, { ...hello, userId })
    expect(await isOpen('ios')).toBe(true)
    app.apns.faults.reset()
    for (const userId of userIds.slice(25)) await other.send(token, { ...hello, userId })
    await until('the breaker is closed', () => isOpen('ios').then((open) => !open))
  })
})

describe('one message', () => {
  test('to 49 devices with a wrong topic disables none', async () => {
    await seedDevices(app.db, 49, { platform: 'ios' })
    app.apns.faults.add(wrongTopic)
    const { data } = await app.send(token, everyone)
    expect(await app.completed(token, data.id)).toMatchObject({ sent: 0, failed: 49, removed: 0 })
    expect(await disabled()).toEqual([])
  })

  test('to 60 devices of one user disables half of them, but not a majority', async () => {
    const user = await app.user()
    const { ids, tokens } = await seedDevices(app.db, 60, { userId: user.id, platform: 'ios' })
    for (const device of tokens.slice(0, 30)) app.apns.faults.add({ device, ...wrongTopic })
    const half = await app.send(token, { ...hello, userId: user.id })
    expect(half.data).toMatchObject({ sent: 30, failed: 0, removed: 30 })
    expect(await disabled()).toEqual(ids.slice(0, 30))

    await app.db.query('UPDATE devices SET disabled_reason = NULL, disabled_by = NULL, disabled_at = NULL')
    await app.db.query('DELETE FROM push_circuit_breakers')
    app.apns.faults.add({ device: tokens[30]!, ...wrongTopic })
    const { data } = await app.send(token, { ...hello, userId: user.id })
    expect(data).toMatchObject({ sent: 29, failed: 31, removed: 0 })
    expect(data.failures).toHaveLength(20)
    expect(data.failures[0].reason).toBe('DeviceTokenNotForTopic')
    expect(await disabled()).toEqual([])
  })
})

test('with a wrong sandbox topic only, production devices are still disabled', async () => {
  const { ids, tokens, userIds } = await seedDevices(app.db, 120, { platform: 'ios' })
  await app.db.query(`UPDATE devices SET environment = 'sandbox' WHERE id = ANY ($1)`, [ids.slice(0, 60)])
  app.sandbox.faults.add({ do: { kind: 'reject', reason: 'BadDeviceToken' } })
  app.apns.faults.add({ device: tokens[100]!, do: { kind: 'reject', reason: 'BadDeviceToken' } })
  for (let n = 0; n < 25; n++) {
    await app.send(token, { ...hello, userId: userIds[n] })
    await app.send(token, { ...hello, userId: userIds[60 + n] })
  }
  expect([await isOpen('ios-sandbox'), await isOpen('ios')]).toEqual([true, false])
  const { data } = await app.send(token, everyone)
  expect(await app.completed(token, data.id)).toMatchObject({ sent: 59, failed: 60, removed: 1 })
  expect(await disabled()).toEqual([ids[100]])
})

describe('a push that users send to themselves', () => {
  const fake = {
    ios() {
      const device = iosToken()
      app.apns.devices.set(device, { environment: 'sandbox' })
      return { token: device }
    },
    web: () => ({ subscription: app.browser().browser.subscribe(createVapidKeys().publicKey) }),
  }

  test.each(['ios', 'web'] as const)(
    "a user's tests to made-up %s device tokens do not open the circuit breaker",
    async (platform) => {
      const user = await app.user()
      for (let n = 0; n < 30; n++)
        expect((await app.mutate(user, 'devices.register', { platform, ...fake[platform]() })).status).toBe(
          200,
        )
      const { data } = await app.mutate(user, 'messages.sendTest', hello)
      expect(data).toMatchObject({ sent: 0, failed: 0, removed: 30 })
      expect(await disabled()).toHaveLength(30)
      expect(await isOpen(platform)).toBe(false)

      // The next suspect of a push that counts is disabled, as without the tests.
      const other = await app.user()
      await app.mutate(other, 'devices.register', { platform, ...fake[platform]() })
      expect((await app.send(token, { ...hello, userId: other.id })).data).toMatchObject({ removed: 1 })
      expect(await isOpen(platform)).toBe(false)
    },
  )
})

test('pushes accepted at the same time are recorded in one statement, each with its audit entry', async () => {
  const { ids } = await seedDevices(app.db, 1, { platform: 'ios' })
  const db = createDb(app.env.DATABASE_URL!, 1)
  const { rows } = await app.db.query('SELECT id, user_id AS "userId" FROM push_tokens')
  const messages = Array.from({ length: 5 }, (_, n) => ({
    id: newId(),
    sender: { ...rows[0], address: '192.0.2.1' },
    userId: null,
    content: { ...hello, title: `${n}`, category: 'general', ttlSeconds: 60, priority: 'high' as const },
    createdAt: new Date(),
    expiresAt: new Date(),
  }))
  const counts = emptyCounts()
  const target = {
    deviceId: ids[0]!,
    app: 'default',
    platform: 'ios',
    environment: 'production',
    token: '',
    lastSeenAt: new Date().toISOString(),
  } as const
  countAudience(counts, [target])
  countOutcome(counts, target, { kind: 'accepted' })
  let statements = 0
  db.pool.on('acquire', () => statements++)
  const repo = createMessageRepo(db, createCircuitBreakers(db, quietLog()))
  // PostgreSQL cannot store NUL, so only this one fails.
  const bad = { ...messages[0]!, id: newId(), content: { ...messages[0]!.content, title: '\0' } }
  const record = () => Promise.all(messages.map((message) => repo.recordDirect(message, counts)))
  await record()
  expect(statements).toBe(1)
  await expect(Promise.all([record(), repo.recordDirect(bad, counts)])).rejects.toThrow('unsupported Unicode')
  // A repeated write stores nothing, and returns the counts of the first one.
  const [first] = messages
  const retried = emptyCounts()
  expect(await repo.recordDirect(first!, retried)).toMatchObject({ id: first!.id, sent: 1, failed: 0 })
  countAudience(retried, [target])
  countFailure(retried, { deviceId: ids[0]!, platform: 'ios', reason: 'TIMEOUT' })
  expect(await repo.recordDirect(first!, retried)).toMatchObject({
    id: first!.id,
    sent: 1,
    failed: 0,
    failures: [],
  })
  const stored = await app.db.query(
    `SELECT m.content->>'title' AS title, m.sent, a.address FROM push_messages m JOIN audit_entries a ON a.id = m.id
     WHERE m.id = ANY ($1) ORDER BY title`,
    [messages.map(({ id }) => id)],
  )
  expect(stored.rows).toEqual(messages.map((_, n) => ({ title: `${n}`, sent: 1, address: '192.0.2.1' })))
  await db.close()
})

describe('npm run devices:enable', () => {
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, ['src/cli/devices-enable.ts', ...args], {
      env: { ...process.env, DATABASE_URL: app.env.DATABASE_URL },
    }).then(
      ({ stdout }) => ({ code: 0, out: stdout }),
      (error) => ({ code: error.code as number, out: `${error.stdout}${error.stderr}` }),
    )

  test('enables devices disabled since a time, optionally for one reason, and reports how many', async () => {
    const { ids, tokens, userIds } = await seedDevices(app.db, 6, { platform: 'ios' })
    const send = async (n: number, reason: string) => {
      app.apns.faults.add({ device: tokens[n]!, do: { kind: 'reject', reason } })
      await app.send(token, { ...hello, userId: userIds[n] })
    }
    await send(0, 'BadDeviceToken')
    const { rows } = await app.db.query('SELECT clock_timestamp() AS now')
    const since = new Date(rows[0].now.getTime() + 1).toISOString()
    await until('the clock has passed it', async () => {
      const { rows } = await app.db.query('SELECT clock_timestamp() > $1::timestamptz AS over', [since])
      return rows[0].over
    })
    for (const n of [1, 2]) await send(n, 'BadDeviceToken')
    for (const n of [3, 4]) await send(n, 'DeviceTokenNotForTopic')
    expect(await disabled()).toEqual(ids.slice(0, 5))

    expect(await run('--since', since, '--reason', 'BadDeviceToken')).toEqual({
      code: 0,
      out: '2 devices enabled\n',
    })
    expect(await disabled()).toEqual([ids[0], ids[3], ids[4]])
    expect(await run('--since', since)).toEqual({ code: 0, out: '2 devices enabled\n' })
    expect(await disabled()).toEqual([ids[0]])
    expect(await run('--since', since)).toEqual({ code: 0, out: '0 devices enabled\n' })

    // Devices disabled by version 0.1.0 have no time, so the time of their message counts.
    await app.db.query('UPDATE devices SET disabled_at = NULL')
    expect(await run('--since', '2026-01-01T00:00:00+02:00')).toEqual({ code: 0, out: '1 device enabled\n' })
    expect(await disabled()).toEqual([])
  })

  test('prints its usage', async () => {
    expect(await run('--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('--since TIME [--reason R]'),
    })
    expect(await run()).toMatchObject({ code: 1, out: expect.stringContaining('--since is missing') })
    expect(await run('--since', 'yesterday')).toMatchObject({
      code: 1,
      out: expect.stringContaining('--since must be a time with an offset, such as 2026-11-22T09:30:00Z'),
    })
  })
})
