import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { iosToken, type PushApp, startPushApp } from '../../support/app/push-app.ts'
import type { TestUser } from '../../support/users.ts'

let app: PushApp

beforeAll(async () => {
  app = await startPushApp({ idle: true })
})
afterAll(() => app.close())

const titles = (answer: { data: { items: { title: string }[] } }) => answer.data.items.map((one) => one.title)

describe('messages.list', () => {
  test('lists only messages to the user or to everyone since the account was created, newest first', async () => {
    const ada = await app.user()
    const token = await app.tokenOf(ada.id)
    await app.send(token, { title: 'before Bob', body: 'b', all: true })
    const bob = await app.user()
    await app.send(token, { title: 'to Ada', body: 'b', data: { orderId: 42 }, category: 'orders' })
    await app.send(token, { title: 'to Bob', body: 'b', userId: bob.id })
    await app.send(token, { title: 'to all', body: 'b', all: true })

    const mine = await app.query(ada, 'messages.list')
    expect(mine.data).toEqual({
      items: [
        expect.objectContaining({ title: 'to all', broadcast: true, category: 'general' }),
        {
          id: expect.any(String),
          title: 'to Ada',
          subtitle: null,
          body: 'b',
          category: 'orders',
          imageUrl: null,
          link: null,
          data: { orderId: 42 },
          broadcast: false,
          unread: true,
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        },
        expect.objectContaining({ title: 'before Bob' }),
      ],
      nextCursor: null,
    })
    expect(titles(await app.query(bob, 'messages.list'))).toEqual(['to all', 'to Bob'])
  })

  test('pages without gaps or duplicates', async () => {
    const user = await app.user()
    const token = await app.tokenOf(user.id)
    for (let n = 1; n <= 5; n++) await app.send(token, { title: `${n}`, body: 'b' })
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await app.query(user, 'messages.list', { limit: 2, ...(cursor && { cursor }) })
      seen.push(...titles(page))
      cursor = page.data.nextCursor ?? undefined
    } while (cursor)
    expect(seen.filter((title) => /^\d$/.test(title))).toEqual(['5', '4', '3', '2', '1'])
  })

  test('lists messages of one category, in pages too', async () => {
    const [user, other] = [await app.user(), await app.user()]
    const token = await app.tokenOf(user.id)
    await app.send(token, { title: 'b1', body: 'b', category: 'builds' })
    await app.send(token, { title: 'general', body: 'b' })
    await app.send(token, { title: 'b2', body: 'b', category: 'builds', userIds: [user.id, other.id] })
    await app.send(token, { title: 'b3', body: 'b', category: 'builds' })
    const page = await app.query(user, 'messages.list', { category: 'builds', limit: 2 })
    expect(titles(page)).toEqual(['b3', 'b2'])
    const cursor = page.data.nextCursor
    expect(titles(await app.query(user, 'messages.list', { category: 'builds', limit: 2, cursor }))).toEqual([
      'b1',
    ])
    expect(titles(await app.query(other, 'messages.list', { category: 'builds' }))).toEqual(['b2'])
    expect(titles(await app.query(user, 'messages.list', { category: 'none' }))).toEqual([])
    const { data } = await app.query(user, 'messages.list', { category: 'a'.repeat(101) })
    expect(data.error.data.code).toBe('BAD_REQUEST')
  })

  test('rejects an invalid cursor and signed-out callers', async () => {
    const user = await app.user()
    expect((await app.query(user, 'messages.list', { cursor: 'x' })).data.error.data.code).toBe('BAD_REQUEST')
    expect((await app.query(null, 'messages.list')).data.error.data.code).toBe('UNAUTHORIZED')
  })
})

describe('devices.remove', () => {
  const devices = async (user: TestUser) => (await app.query(user, 'devices.list')).data.items
  test('removes the user’s own device by its ID, can be repeated, and never removes another user’s', async () => {
    const [ada, bob] = [await app.user(), await app.user()]
    const { data } = await app.mutate(ada, 'devices.register', { platform: 'ios', token: iosToken() })
    const remove = (user: TestUser, deviceId: string) => app.mutate(user, 'devices.remove', { deviceId })
    expect((await remove(bob, data.id)).data).toEqual({ success: true })
    expect(await devices(ada)).toHaveLength(1)
    expect((await remove(ada, data.id)).data).toEqual({ success: true })
    expect(await devices(ada)).toEqual([])
    for (const id of [data.id, randomUUID(), 'no id'])
      expect((await remove(ada, id)).data).toEqual({ success: true })
  })
})
