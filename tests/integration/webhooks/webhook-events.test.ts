// Events recorded for webhooks: exactly the changes that happened, in their order, regardless of the statement.

import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { createCircuitBreakers } from '../../../src/server/adapters/postgres/push/delivery/circuit-breakers.ts'
import { removeDevices } from '../../../src/server/adapters/postgres/push/devices/device-removal.ts'
import { createDeviceRepo } from '../../../src/server/adapters/postgres/push/devices/device-repo.ts'
import { createMessageRepo } from '../../../src/server/adapters/postgres/push/messages/message-repo.ts'
import { sqlIn } from '../../../src/server/adapters/postgres/sql.ts'
import { createFileRepo } from '../../../src/server/adapters/postgres/uploads/file-repo.ts'
import { WEBHOOK_EVENTS } from '../../../src/server/api/openapi/webhook-events.ts'
import type { Counts, Removal } from '../../../src/server/domain/push/messages/counts.ts'
import { EVENT_TYPES, type EventType } from '../../../src/server/domain/webhooks/schema.ts'
import { newId } from '../../../src/server/kernel/ids.ts'
import { iosToken } from '../../support/app/push-app.ts'
import { startTestApp, type TestApp } from '../../support/app/test-app.ts'
import { drift } from '../../support/app/upload-app.ts'
import { createUser, type TestUser } from '../../support/users.ts'

let app: TestApp
let db: Db
beforeAll(async () => {
  app = await startTestApp({ WEBHOOKS_ALLOW_PRIVATE: 'true' })
  db = createDb(app.env.DATABASE_URL!, 4)
})
afterAll(async () => {
  await db.close()
  await app.close()
})
afterEach(async () => {
  await app.db.query('DELETE FROM webhooks')
  await app.db.query('DELETE FROM webhook_deliveries')
})

const subscribe = (events: readonly EventType[] = EVENT_TYPES) =>
  app.services.webhooks.create({ url: 'http://127.0.0.1:9/', events: [...events] })

type Row = { type: EventType; data: Record<string, unknown>; subject: string }
/** Returns the schema of an event's data before delivery, which adds `url`. */
function recorded(type: EventType): z.ZodObject {
  const { url, ...shape } = WEBHOOK_EVENTS[type].shape.data.shape as z.ZodRawShape
  return z.strictObject(shape)
}

/** Returns the recorded events by number, which match the OpenAPI document. `subject`: the file, device or message. */
async function written(): Promise<Row[]> {
  const { rows } = await app.db.query(
    `SELECT type, data, coalesce(data ->> 'fileId', data ->> 'deviceId', data ->> 'messageId') AS subject
     FROM webhook_deliveries ORDER BY sequence`,
  )
  for (const { type, data } of rows) recorded(type).parse(data)
  return rows
}
const facts = async () => (await written()).map(({ type, subject }) => `${type} ${subject}`)

const TEN_MINUTES = 600_000
const soon = () => new Date(Date.now() + TEN_MINUTES)

/** Runs `work` with the same repositories in a transaction, which is rolled back if `rollBack` is true. */
async function inTransaction(rollBack: boolean, work: (inside: Db) => Promise<unknown>): Promise<void> {
  class RolledBack extends Error {}
  try {
    await db.$transaction(async (tx) => {
      const inside = new Proxy(tx, {
        get: (target, name) => {
          if (name === 'sql' || name === 'retrying') return sqlIn(tx)
          // A repository's own transaction becomes part of this one.
          if (name === 'sqlTransaction')
            return (inner: Parameters<Db['sqlTransaction']>[0]) => inner(sqlIn(tx))
          if (name === 'transaction') return (inner: Parameters<Db['transaction']>[0]) => inner(tx, sqlIn(tx))
          if (name === '$transaction')
            return (inner: unknown) =>
              typeof inner === 'function' ? inner(tx) : Promise.all(inner as Promise<unknown>[])
          return Reflect.get(target, name)
        },
      })
      await work(inside as unknown as Db)
      if (rollBack) throw new RolledBack()
    })
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
}

async function newFile(user: TestUser, files = createFileRepo(db)): Promise<string> {
  const id = newId()
  await files.reserve(
    {
      id,
      userId: user.id,
      filename: 'a.png',
      mimeType: 'image/png',
      size: 10,
      key: `files/${id}/a.png`,
      totalParts: null,
      partSize: null,
      urlExpiresAt: soon(),
      state: 'PENDING',
      expiresAt: soon(),
      createdAt: new Date(),
      idempotencyKey: null,
      policy: null,
      data: null,
      visibility: 'private',
    },
    { quotaBytes: 1_000_000, unfinishedUploads: 1000, verifiedOnly: false, policyFiles: null },
  )
  return id
}

const register = (user: TestUser, devices = createDeviceRepo(db)) =>
  devices.register(
    { id: user.id, epoch: 0 },
    { app: 'default', platform: 'ios', token: iosToken(), environment: 'production', name: 'phone' },
    { maxPerUser: 100, address: '192.0.2.1', onNew: async () => {} },
  )

const noCounts: Counts = {
  audience: { ios: 1, android: 0, web: 0 },
  sent: 0,
  failed: 0,
  failures: [],
  gone: [],
  suspects: [],
  answers: new Map(),
}

async function removalOf(deviceId: string): Promise<Removal> {
  const { rows } = await app.db.query('SELECT last_seen_at FROM devices WHERE id = $1', [deviceId])
  const recipient = {
    deviceId,
    app: 'default',
    platform: 'ios',
    token: 'x',
    environment: 'production',
  } as const
  return {
    recipient: { ...recipient, lastSeenAt: (rows[0]?.last_seen_at ?? new Date(0)).toISOString() },
    reason: 'BadDeviceToken',
  }
}

test('events have the data that docs/api.md describes', async () => {
  await subscribe()
  const user = await createUser(app)
  const files = createFileRepo(db)
  const [ready, rejected] = [await newFile(user), await newFile(user)]
  const lease = { id: newId(), ms: 4_000 }
  await files.acquire(ready, user.id, lease, 'PENDING')
  await files.markReady(ready, lease.id, { etag: 'e', at: new Date(), cleanupAfter: null, expiresAt: null })
  await files.acquire(rejected, user.id, lease, 'PENDING')
  await files.markEnded(rejected, lease.id, {
    state: 'REJECTED',
    rejectReason: 'looks like HTML',
    at: new Date(),
    cleanupAfter: null,
    release: true,
  })
  const device = (await register(user))!.id
  const open = false
  const verdicts = new Map([['ios', { open, disabledAt: new Date() }]] as const)
  await removeDevices(db.sql, newId(), { ...noCounts, suspects: [await removalOf(device)] }, verdicts)
  await createDeviceRepo(db).remove(user.id, device)
  const userId = user.id
  const file = {
    userId,
    externalId: null,
    filename: 'a.png',
    mimeType: 'image/png',
    size: 10,
    policy: null,
    data: null,
    visibility: 'private',
  }
  const phone = { userId, externalId: null, deviceId: device, platform: 'ios', name: 'phone' }
  expect((await written()).map(({ type, data }) => [type, data])).toEqual([
    ['file.ready', { ...file, fileId: ready, key: `files/${ready}/a.png` }],
    [
      'file.rejected',
      { ...file, fileId: rejected, key: `files/${rejected}/a.png`, reason: 'looks like HTML' },
    ],
    ['device.disabled', { ...phone, reason: 'BadDeviceToken' }],
    ['device.removed', phone],
  ])
})

test('the expiry of ready files by parallel sweepers is one file.deleted each, with its reason', async () => {
  await subscribe(['file.deleted'])
  const user = await createUser(app)
  const files = createFileRepo(db)
  const lease = { id: newId(), ms: 4_000 }
  const ids = await Promise.all(Array.from({ length: 40 }, () => newFile(user)))
  const now = new Date()
  for (const [n, id] of ids.entries()) {
    await files.acquire(id, user.id, lease, 'PENDING')
    const expiresAt = n % 4 === 0 ? null : new Date(now.getTime() + (n % 2 === 0 ? 1 : 0))
    await files.markReady(id, lease.id, { etag: 'e', at: now, cleanupAfter: null, expiresAt })
  }
  const counts = await Promise.all(Array.from({ length: 8 }, () => files.deleteExpired(now, 7)))
  for (let count = 7; count > 0; counts.push(count)) count = await files.deleteExpired(now, 7)
  // Not those that expire a millisecond later.
  const due = ids.filter((_, n) => n % 2 === 1)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(due.length)
  const events = await written()
  expect(events.map(({ data }) => data.fileId).sort()).toEqual(due.sort())
  expect(events[0]!.data).toMatchObject({ filename: 'a.png', reason: 'expired' })
  expect(await drift(app.db)).toEqual([])
})

test('a push event has the audience on all platforms and the counts', async () => {
  await subscribe(['push.completed'])
  const user = await createUser(app)
  const sender = { ...(await pushToken(user)), address: '192.0.2.1' }
  const id = newId()
  const content = { title: 't', body: 'b', category: 'news', ttlSeconds: 60, priority: 'high' } as const
  const message = { id, userId: user.id, content, createdAt: new Date(), expiresAt: soon(), sender }
  const counts = { ...noCounts, audience: { ios: 1, android: 0, web: 2 }, sent: 3 }
  await createMessageRepo(db, createCircuitBreakers(db, app.services.log)).recordDirect(message, counts)
  expect((await written()).map(({ data }) => data)).toEqual([
    {
      userId: user.id,
      externalId: null,
      messageId: id,
      pushTokenId: sender.id,
      category: 'news',
      audience: { ios: 1, android: 0, web: 2 },
      sent: 3,
      failed: 0,
      removed: 0,
    },
  ])
})

test('events of a user of the external issuer have both IDs', async () => {
  await subscribe(['device.removed'])
  const user = await createUser(app)
  await app.db.query(
    `UPDATE users SET email = NULL, external_issuer = 'https://issuer.example', external_id = 'auth0|7' WHERE id = $1`,
    [user.id],
  )
  const device = (await register(user))!.id
  await createDeviceRepo(db).remove(user.id, device)
  expect(await written()).toMatchObject([{ data: { userId: user.id, externalId: 'auth0|7' } }])
})

test('without a subscription, no event is written and no number is used', async () => {
  await subscribe(['file.deleted'])
  const { rows: before } = await app.db.query('SELECT last_value, is_called FROM webhook_event_sequence')
  const user = await createUser(app)
  const device = (await register(user))!.id
  await createDeviceRepo(db).remove(user.id, device)
  await newFile(user)
  await createFileRepo(db).expire(new Date(Date.now() + 2 * TEN_MINUTES), 100)
  expect(await written()).toEqual([])
  expect((await app.db.query('SELECT last_value, is_called FROM webhook_event_sequence')).rows).toEqual(
    before,
  )
})

test('deleting an account writes events for its ready files and its devices', async () => {
  await subscribe()
  const user = await createUser(app)
  const files = createFileRepo(db)
  const ready = await newFile(user)
  await newFile(user)
  const lease = { id: newId(), ms: 4_000 }
  await files.acquire(ready, user.id, lease, 'PENDING')
  await files.markReady(ready, lease.id, { etag: 'e', at: new Date(), cleanupAfter: null, expiresAt: null })
  const devices = [(await register(user))!.id, (await register(user))!.id]
  await app.services.accountDeletion.deleteAccount(user.id, '192.0.2.1')
  const [first, ...rest] = await facts()
  expect(first).toBe(`file.ready ${ready}`)
  expect(rest.sort()).toEqual(
    [...devices.map((id) => `device.removed ${id}`), `file.deleted ${ready}`].sort(),
  )
})

type Op = { what: (typeof OPS)[number]; which: number; rollBack: boolean }
const OPS = [
  'ready',
  'reject',
  'abort',
  'delete',
  'delete all',
  'expire',
  'new file',
  'disable',
  'gone',
  'unregister',
  'register',
  'push',
  'broadcast',
] as const

const history = fc.array(
  fc.record<Op>({ what: fc.constantFrom(...OPS), which: fc.nat(3), rollBack: fc.boolean() }),
  { minLength: 6, maxLength: 14 },
)

test('for any history of uploads and pushes with rollbacks, no event is missing, early or without its change', async () => {
  await subscribe()
  const log = app.services.log
  await fc.assert(
    fc.asyncProperty(history, async (ops) => {
      // Expiry affects the files of all users.
      await app.db.query('DELETE FROM files')
      await app.db.query('DELETE FROM webhook_deliveries')
      const user = await createUser(app)
      const token = await pushToken(user)
      const states = new Map<string, 'PENDING' | 'READY' | 'OVER'>()
      const devices = new Map<string, 'on' | 'off'>()
      const expected: string[] = []
      for (const { what, which, rollBack } of ops) {
        const file = [...states.keys()][which % (states.size || 1)] ?? newId()
        const device = [...devices.keys()][which % (devices.size || 1)] ?? newId()
        const now: string[] = []
        const after = new Map(states)
        const devicesAfter = new Map(devices)
        await inTransaction(rollBack, async (inside) => {
          const files = createFileRepo(inside)
          const lease = { id: newId(), ms: 4_000 }
          const end = async (state: 'REJECTED' | 'ABORTED') => {
            const held = await files.acquire(file, user.id, lease, 'PENDING')
            if (!held) return false
            return files.markEnded(file, lease.id, {
              state,
              rejectReason: state === 'REJECTED' ? 'looks like HTML' : undefined,
              at: new Date(),
              cleanupAfter: null,
              release: true,
            })
          }
          if (what === 'new file') after.set(await newFile(user, files), 'PENDING')
          else if (what === 'ready' && (await files.acquire(file, user.id, lease, 'PENDING'))) {
            expect(
              await files.markReady(file, lease.id, {
                etag: 'e',
                at: new Date(),
                cleanupAfter: null,
                expiresAt: null,
              }),
            ).toEqual([])
            after.set(file, 'READY')
            now.push(`file.ready ${file}`)
          } else if (what === 'reject' && (await end('REJECTED'))) {
            after.set(file, 'OVER')
            now.push(`file.rejected ${file}`)
          } else if (what === 'abort' && (await end('ABORTED'))) after.set(file, 'OVER')
          else if (what === 'expire') {
            await files.expire(new Date(Date.now() + 2 * TEN_MINUTES), 100)
            for (const [id, state] of states)
              if (state === 'PENDING') {
                after.set(id, 'OVER')
                now.push(`file.expired ${id}`)
              }
          } else if (what === 'delete') {
            await files.markDeleted(file, user.id, new Date())
            if (states.get(file) === 'READY') now.push(`file.deleted ${file}`)
            if (states.has(file) && states.get(file) !== 'PENDING') after.set(file, 'OVER')
          } else if (what === 'delete all') {
            await files.markAllDeleted(user.id, new Date())
            for (const [id, state] of states) {
              if (state === 'READY') now.push(`file.deleted ${id}`)
              after.set(id, 'OVER')
            }
          } else if (what === 'register') {
            devicesAfter.set((await register(user, createDeviceRepo(inside)))!.id, 'on')
          } else if (what === 'unregister') {
            await createDeviceRepo(inside).remove(user.id, device)
            if (devicesAfter.delete(device)) now.push(`device.removed ${device}`)
          } else if (what === 'gone' || what === 'disable') {
            const removal = await removalOf(device)
            const counts =
              what === 'gone' ? { ...noCounts, gone: [removal] } : { ...noCounts, suspects: [removal] }
            const verdicts = new Map([['ios', { open: false, disabledAt: new Date() }]] as const)
            await removeDevices(inside.sql, newId(), counts, verdicts)
            if (what === 'gone' && devicesAfter.delete(device)) now.push(`device.removed ${device}`)
            if (what === 'disable' && devices.get(device) === 'on') {
              devicesAfter.set(device, 'off')
              now.push(`device.disabled ${device}`)
            }
          } else if (what === 'push' || what === 'broadcast') {
            const id = newId()
            const content = {
              title: 't',
              body: 'b',
              category: 'general',
              ttlSeconds: 60,
              priority: 'high',
            } as const
            const sender = { ...token, address: '192.0.2.1' }
            const message = { id, userId: user.id, content, createdAt: new Date(), expiresAt: soon(), sender }
            const messages = createMessageRepo(inside, createCircuitBreakers(inside, log))
            if (what === 'push') await messages.recordDirect(message, { ...noCounts, sent: 1 })
            else {
              const audience = { kind: 'users', userIds: [newId()] } as const
              await messages.createBroadcast({ ...message, userId: null, audience }, 20)
              // Without recipients, it is completed at once.
              await messages.start(id, 500, new AbortController().signal)
            }
            now.push(`push.completed ${id}`)
          }
          // Other connections see nothing before the commit.
          expect(await facts()).toEqual(expected)
        })
        if (!rollBack) {
          const found = (await facts()).slice(expected.length)
          expect([...found].sort()).toEqual(now.sort())
          expected.push(...found)
          states.clear()
          for (const [id, state] of after) states.set(id, state)
          devices.clear()
          for (const [id, state] of devicesAfter) devices.set(id, state)
        }
        expect(await facts()).toEqual(expected)
      }
    }),
    { numRuns: 12 },
  )
})

async function pushToken(user: TestUser) {
  const { id } = await app.services.push.tokens.create(
    { userId: user.id, name: 'test', expiresInDays: 1 },
    { actor: 'admin', address: '192.0.2.1' },
  )
  return { id, userId: user.id, scopes: ['self', 'users', 'broadcast'] as const }
}
