import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { startPushWorker } from '../../support/process/push-worker.ts'

let app: PushApp
let token: string

beforeAll(async () => {
  app = await startPushApp()
})
beforeEach(async () => {
  token = await app.tokenOf((await app.user()).id)
})
afterAll(() => app.close())

const hello = { title: 'Hello', body: 'World' }
const inbox = async (user: { headers: { authorization: string } }) =>
  (await app.query(user, 'messages.list')).data.items
const copies = (tokens: string[]) =>
  tokens.map((t) => app.apns.requestLog.countOf(t) + app.fcm.requestLog.countOf(t))

test('a push to userIds reaches each device of these users once, and no others', async () => {
  const [ann, bob, eve] = [await app.user(), await app.user(), await app.user()]
  const anns = await seedDevices(app.db, 3, { userId: ann.id })
  const bobs = await seedDevices(app.db, 2, { userId: bob.id })
  const eves = await seedDevices(app.db, 1, { userId: eve.id })
  const { status, data } = await app.send(token, { ...hello, userIds: [ann.id, bob.id, ann.id] })
  expect(status).toBe(202)
  expect(data).toMatchObject({ status: 'queued', unknownUserIds: [] })
  const done = await app.completed(token, data.id)
  expect(done).toMatchObject({ audience: { ios: 3, android: 2 }, sent: 5, failed: 0, removed: 0 })
  expect(done).not.toHaveProperty('unknownUserIds')
  expect(copies([...anns.tokens, ...bobs.tokens])).toEqual([1, 1, 1, 1, 1])
  expect(copies(eves.tokens)).toEqual([0])
  // Only these two users have it in their inboxes, besides other messages.
  await app.send(token, { ...hello, title: 'to Ann', userId: ann.id })
  expect((await inbox(ann)).map((m: { title: string }) => m.title)).toEqual(['to Ann', 'Hello'])
  expect(await inbox(bob)).toMatchObject([{ id: data.id, title: 'Hello', broadcast: false }])
  expect(await inbox(eve)).toEqual([])
  const first = await app.query(ann, 'messages.list', { limit: 1 })
  const second = await app.query(ann, 'messages.list', { limit: 1, cursor: first.data.nextCursor })
  expect(second.data).toMatchObject({ items: [{ title: 'Hello' }], nextCursor: null })
})

test('unknown users are listed and the others get the push; a repeated Idempotency-Key returns the same', async () => {
  const user = await app.user()
  await seedDevices(app.db, 1, { userId: user.id })
  const unknown = [randomUUID(), 'not-an-id']
  const send = () =>
    app.send(token, { ...hello, userIds: [unknown[0], user.id, unknown[1]] }, { 'idempotency-key': 'k' })
  const { data } = await send()
  expect(data.unknownUserIds).toEqual(unknown)
  expect(await app.completed(token, data.id)).toMatchObject({ sent: 1, failed: 0 })
  expect((await send()).data).toEqual(data)
  const noUsers = await app.send(token, { ...hello, userIds: unknown })
  expect(noUsers).toMatchObject({ status: 202, data: { unknownUserIds: unknown } })
  expect(await app.completed(token, noUsers.data.id)).toMatchObject({ audience: { ios: 0, android: 0 } })
})

test('opt-outs, muted categories and disabled devices are skipped; a dry run has the same counts', async () => {
  const users = [await app.user(), await app.user(), await app.user()]
  const devices = []
  for (const { id } of users) devices.push(await seedDevices(app.db, 1, { userId: id, platform: 'ios' }))
  const [off, muted] = users
  await app.mutate(off!, 'preferences.update', { pushEnabled: false })
  await app.mutate(muted!, 'preferences.update', { mutedCategories: ['news'] })
  const body = { ...hello, category: 'news', userIds: users.map((u) => u.id) }
  const dry = await app.send(token, { ...body, dryRun: true })
  expect(dry).toMatchObject({ status: 200, data: { status: 'dry-run', audience: { ios: 1, android: 0 } } })
  const { data } = await app.send(token, body)
  expect(await app.completed(token, data.id)).toMatchObject({ audience: { ios: 1, android: 0 }, sent: 1 })
  expect(copies(devices.flatMap((d) => d.tokens))).toEqual([0, 0, 1])
})

test('1,000 users are accepted; 1,001, none, or a second target are rejected', async () => {
  const ids = Array.from({ length: 1000 }, () => randomUUID())
  const send = async (body: object) => (await app.send(token, { ...hello, ...body })).status
  expect(await send({ userIds: ids })).toBe(202)
  expect(await send({ userIds: [...ids, randomUUID()] })).toBe(400)
  expect(await send({ userIds: [] })).toBe(400)
  expect(await send({ userIds: ids, all: true })).toBe(400)
  expect(await send({ userIds: ids, userId: ids[0] })).toBe(400)
  expect(await send({ userIds: ids, all: false })).toBe(202)
})

test('a push to userIds needs the scope users', async () => {
  const owner = await app.user()
  for (const scopes of [['self'], ['broadcast'], ['self', 'broadcast']]) {
    const { status } = await app.send(await app.tokenOf(owner.id, { scopes }), {
      ...hello,
      userIds: [owner.id],
    })
    expect(status).toBe(403)
  }
  const users = await app.tokenOf(owner.id, { scopes: ['users'] })
  expect((await app.send(users, { ...hello, userIds: [owner.id] })).status).toBe(202)
})

test('kill -9 of the replica that accepted it skips no device', async () => {
  const quiet = await startPushApp({ idle: true })
  const raw = await quiet.tokenOf((await quiet.user()).id)
  const { tokens, userIds } = await seedDevices(quiet.db, 1000, { platform: 'ios' })
  quiet.apns.faults.set({ latencyMs: 200 })
  const victim = await startPushWorker(quiet)
  const answered = new Promise<{ status: number; data: { id: string } }>((resolve) =>
    victim.child.once('message', resolve),
  )
  victim.send({ token: raw, body: { ...hello, userIds } })
  const { status, data } = await answered
  expect(status).toBe(202)
  await victim.kill()
  await quiet.services.start()
  try {
    const done = await quiet.completed(raw, data.id)
    expect(done).toMatchObject({ audience: { ios: 1000 }, sent: 1000, failed: 0, removed: 0 })
    expect(tokens.every((t) => quiet.apns.requestLog.countOf(t) >= 1)).toBe(true)
  } finally {
    await quiet.close()
  }
})

test('can be canceled: nothing is sent, no inbox has it, and the audience counts as failed', async () => {
  const quiet = await startPushApp({ idle: true })
  const raw = await quiet.tokenOf((await quiet.user()).id)
  const user = await quiet.user()
  await seedDevices(quiet.db, 2, { userId: user.id })
  const { data } = await quiet.send(raw, { ...hello, userIds: [user.id] })
  expect((await quiet.cancel(raw, data.id)).status).toBe(204)
  const { data: view } = await quiet.message(raw, data.id)
  expect(view).toMatchObject({ status: 'cancelled', audience: { ios: 1, android: 1 }, sent: 0, failed: 2 })
  expect((await quiet.query(user, 'messages.list')).data.items).toEqual([])
  await quiet.close()
})
