// A gateway recovers: the first success wakes all waiting pushes. A backoff of an hour represents a long outage.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { until } from '../../support/until.ts'

let app: PushApp
let token: string
beforeEach(async () => {
  app = await startPushApp()
  token = await app.tokenOf((await app.user()).id)
})
afterEach(() => app.close())

const hello = { title: 'Hello', body: 'World' }

/** Waits until this many devices wait for a retry, and postpones it by an hour. */
async function waitingForAnHour(count: number) {
  await until('all wait for a retry', async () => {
    const { rows } = await app.db.query(
      `UPDATE push_message_chunks SET due_at = now() + interval '1 hour', attempt = 12
       WHERE lease_id IS NULL AND platform IS NOT NULL RETURNING cardinality(device_ids) AS devices`,
    )
    return rows.reduce((sum, row) => sum + row.devices, 0) === count
  })
}

test('a broadcast resumes within seconds after the gateway recovers', async () => {
  const { tokens } = await seedDevices(app.db, 600, { platform: 'ios' })
  app.apns.faults.add({ do: { kind: 'reject', reason: 'ServiceUnavailable' } })
  const { data } = await app.send(token, { ...hello, all: true })
  await waitingForAnHour(600)
  app.apns.faults.reset()
  expect(await app.completed(token, data.id)).toMatchObject({ sent: 600, failed: 0 })
  expect(tokens.every((t) => app.apns.requestLog.countOf(t) === 1)).toBe(true)
})

test('a successful push to one user resumes it, even in a replica that did not see the outage', async () => {
  await seedDevices(app.db, 20, { platform: 'android' })
  app.fcm.faults.add({ do: { kind: 'reject', reason: 'UNAVAILABLE' } })
  const { data } = await app.send(token, { ...hello, all: true })
  await waitingForAnHour(20)
  await app.services.push.worker.stop(1_000)
  app.fcm.faults.reset()
  const other = await app.replica()
  const { userIds } = await seedDevices(app.db, 1, { platform: 'android' })
  expect((await other.send(token, { ...hello, userId: userIds[0] })).data).toMatchObject({ sent: 1 })
  await until('all are due', async () => {
    const { rows } = await app.db.query('SELECT bool_and(due_at <= now()) AS due FROM push_message_chunks')
    return rows[0].due
  })
  await other.services.start()
  expect(await app.completed(token, data.id)).toMatchObject({ sent: 20, failed: 0 })
})

test('a Retry-After still applies', async () => {
  const { tokens } = await seedDevices(app.db, 5, { platform: 'android' })
  app.fcm.faults.add({ do: { kind: 'reject', reason: 'UNAVAILABLE', retryAfterSeconds: 6 } })
  const { data } = await app.send(token, { ...hello, all: true })
  await waitingForAnHour(5)
  app.fcm.faults.reset()
  const { userIds } = await seedDevices(app.db, 1, { platform: 'android' })
  await app.send(token, { ...hello, userId: userIds[0] })
  expect(await app.completed(token, data.id)).toMatchObject({ sent: 5, failed: 0 })
  for (const device of tokens) {
    const rejected = app.fcm.requestLog.rejected.filter((push) => push.token === device)
    expect(rejected).toHaveLength(1)
    const [taken] = app.fcm.requestLog.acceptedFor(device)
    expect(taken!.at - rejected[0]!.at).toBeGreaterThanOrEqual(5_990)
  }
})

test('a device that APNs throttles keeps its backoff, regardless of other devices', async () => {
  const { tokens } = await seedDevices(app.db, 2, { platform: 'ios' })
  app.apns.faults.add({ device: tokens[0]!, do: { kind: 'reject', reason: 'TooManyRequests' } })
  await app.send(token, { ...hello, all: true })
  await waitingForAnHour(1)
  const { userIds } = await seedDevices(app.db, 1, { platform: 'ios' })
  await app.send(token, { ...hello, userId: userIds[0] })
  const { rows } = await app.db.query(
    `SELECT due_at > now() + interval '50 minutes' AS waits, not_before FROM push_message_chunks`,
  )
  expect(rows).toEqual([{ waits: true, not_before: null }])
})

test('a device that moves to another user in the meantime does not get the push', async () => {
  const { userIds, tokens } = await seedDevices(app.db, 2, { platform: 'android' })
  app.fcm.faults.add({ do: { kind: 'reject', reason: 'UNAVAILABLE' } })
  const { data } = await app.send(token, { ...hello, userIds })
  await waitingForAnHour(2)
  await app.mutate(await app.user(), 'devices.register', { platform: 'android', token: tokens[0]! })
  app.fcm.faults.reset()
  await app.db.query('UPDATE push_message_chunks SET due_at = now()')
  const { failures, ...counts } = await app.completed(token, data.id)
  expect(counts).toMatchObject({ sent: 1, failed: 1 })
  expect(failures).toMatchObject([{ reason: 'WITHDRAWN' }])
  expect(app.fcm.requestLog.acceptedFor(tokens[0]!)).toEqual([])
})

test('a retried push expires when the message does', async () => {
  const { tokens } = await seedDevices(app.db, 1, { platform: 'android' })
  app.fcm.faults.add({ do: { kind: 'reject', reason: 'UNAVAILABLE' } })
  const { data } = await app.send(token, { ...hello, all: true, ttlSeconds: 86_400 })
  await waitingForAnHour(1)
  app.fcm.faults.reset()
  // Stands for a day that is almost over.
  await app.db.query(`UPDATE push_messages SET expires_at = now() + interval '10 minutes'`)
  await app.db.query(`UPDATE push_message_chunks SET due_at = now() + interval '1 second'`)
  expect(await app.completed(token, data.id)).toMatchObject({ sent: 1 })
  const [push] = app.fcm.requestLog.acceptedFor(tokens[0]!)
  const { ttl } = push!.payload.android as { ttl: string }
  expect(Number.parseInt(ttl, 10)).toBeLessThanOrEqual(600)
})
