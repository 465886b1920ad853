import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PushApp, startPushApp } from '../../support/app/push-app.ts'

let app: PushApp

beforeAll(async () => {
  app = await startPushApp({ idle: true })
})
afterAll(() => app.close())

describe('preferences', () => {
  test('are all on for a new user', async () => {
    const { data } = await app.query(await app.user(), 'preferences.get')
    expect(data).toEqual({ pushEnabled: true, mutedCategories: [] })
  })

  test('can be changed separately or together, and the others stay unchanged', async () => {
    const user = await app.user()
    const update = async (input: object) => (await app.mutate(user, 'preferences.update', input)).data
    expect(await update({ pushEnabled: false })).toEqual({ pushEnabled: false, mutedCategories: [] })
    expect(await update({ mutedCategories: ['a', 'b', 'a'] })).toEqual({
      pushEnabled: false,
      mutedCategories: ['a', 'b'],
    })
    expect(await update({ pushEnabled: true })).toEqual({ pushEnabled: true, mutedCategories: ['a', 'b'] })
    expect(await update({ pushEnabled: true, mutedCategories: [] })).toEqual({
      pushEnabled: true,
      mutedCategories: [],
    })
    expect((await app.query(user, 'preferences.get')).data).toEqual({
      pushEnabled: true,
      mutedCategories: [],
    })
  })

  test('are separate for each user, and two simultaneous first updates both succeed', async () => {
    const [user, other] = [await app.user(), await app.user()]
    const answers = await Promise.all([
      app.mutate(user, 'preferences.update', { pushEnabled: false }),
      app.mutate(user, 'preferences.update', { mutedCategories: ['x'] }),
    ])
    expect(answers.map((a) => a.status)).toEqual([200, 200])
    expect((await app.query(user, 'preferences.get')).data).toEqual({
      pushEnabled: false,
      mutedCategories: ['x'],
    })
    expect((await app.query(other, 'preferences.get')).data.pushEnabled).toBe(true)
  })

  test.each([
    ['nothing', {}, 'input'],
    ['an unknown field', { pushEnable: true }, 'pushEnable'],
    ['text for pushEnabled', { pushEnabled: 'no' }, 'pushEnabled'],
    ['an empty category', { mutedCategories: [''] }, 'mutedCategories.0'],
    ['a category of 101 characters', { mutedCategories: ['c'.repeat(101)] }, 'mutedCategories.0'],
    [
      '101 categories',
      { mutedCategories: Array.from({ length: 101 }, (_, n) => `c${n}`) },
      'mutedCategories',
    ],
    ['NUL', { mutedCategories: ['a\0'] }, 'mutedCategories.0'],
  ])('reject %s with BAD_REQUEST', async (_, input, field) => {
    const { status, data } = await app.mutate(await app.user(), 'preferences.update', input)
    expect(status).toBe(400)
    expect(Object.keys(data.error.data.fieldErrors)).toContain(field)
  })
})
