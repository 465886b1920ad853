import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HttpApp, startHttpApp } from '../../support/app/http-app.ts'
import { createSession, createUser } from '../../support/users.ts'

const PASSWORD = 'correct horse battery'
const NEW_PASSWORD = 'a staple for the horse'
let app: HttpApp

beforeAll(async () => {
  app = await startHttpApp({ SIGNIN_FAILURES_PER_15_MIN: '3' })
})
afterAll(() => app.close())

async function isAlive(token: string): Promise<boolean> {
  const request = new Request(app.url, { headers: { authorization: `Bearer ${token}` } })
  return (await app.services.authenticate(request)) !== null
}

test('a password change ends all sessions and returns a new one', async () => {
  const user = await createUser(app.services, { password: PASSWORD })
  const other = (await app.call('session.create', { email: user.email, password: PASSWORD })).data.token
  const { data } = await app.call(
    'account.changePassword',
    { currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
    user.headers,
  )
  expect(data).toMatchObject({ success: true, user: { id: user.id } })
  expect(await Promise.all([user.token, other, data.token].map(isAlive))).toEqual([false, false, true])
  expect((await app.call('session.create', { email: user.email, password: PASSWORD })).status).toBe(401)
  expect((await app.call('session.create', { email: user.email, password: NEW_PASSWORD })).status).toBe(200)
})

test('a wrong current password changes nothing and counts like a failed sign-in', async () => {
  const user = await createUser(app.services, { password: PASSWORD })
  const change = (currentPassword: string) =>
    app.call('account.changePassword', { currentPassword, newPassword: NEW_PASSWORD }, user.headers)
  expect(await change('wrong')).toMatchObject({
    code: 'FORBIDDEN',
    data: { fieldErrors: { currentPassword: ['is wrong'] } },
  })
  expect(await isAlive(user.token)).toBe(true)
  for (let i = 0; i < 2; i++) await change('wrong')
  expect((await change(PASSWORD)).code).toBe('TOO_MANY_REQUESTS')
})

test('the new password must follow the rules', async () => {
  const user = await createUser(app.services, { password: PASSWORD })
  const answer = await app.call(
    'account.changePassword',
    { currentPassword: PASSWORD, newPassword: 'short' },
    user.headers,
  )
  expect(Object.keys(answer.data.fieldErrors)).toEqual(['newPassword'])
})

test('of two simultaneous changes, one succeeds', async () => {
  const user = await createUser(app.services, { password: PASSWORD })
  const answers = await Promise.all(
    [NEW_PASSWORD, `${NEW_PASSWORD}!`].map((newPassword) =>
      app.call('account.changePassword', { currentPassword: PASSWORD, newPassword }, user.headers),
    ),
  )
  expect(answers.filter((a) => a.status === 200)).toHaveLength(1)
})

test('the name can be changed and removed; the audit log records each change once', async () => {
  const user = await createUser(app.services)
  const rename = (name: unknown) => app.call('account.rename', { name }, user.headers)
  const name = async () =>
    (await app.db.query('SELECT name FROM users WHERE id = $1', [user.id])).rows[0].name
  for (const given of [' Ada Lovelace ', 'Ada Lovelace']) {
    expect((await rename(given)).data).toEqual({ success: true })
    expect(await name()).toBe('Ada Lovelace')
  }
  await rename(null)
  expect(await name()).toBeNull()
  for (const invalid of ['', ' ', 'a'.repeat(101), 'a\u0007b', undefined])
    expect((await rename(invalid)).code).toBe('BAD_REQUEST')
  const { rows } = await app.db.query(
    `SELECT actor, details FROM audit_entries WHERE action = 'user.changed' AND user_id = $1 ORDER BY at, id`,
    [user.id],
  )
  const actor = `user:${user.id}`
  expect(rows).toEqual([
    { actor, details: { field: 'name', old: null, new: 'Ada Lovelace' } },
    { actor, details: { field: 'name', old: 'Ada Lovelace', new: null } },
  ])
})

test('signing out everywhere ends only that user’s sessions, and all of them', async () => {
  const [user, neighbour] = await Promise.all([createUser(app.services), createUser(app.services)])
  const answer = await app.call('account.signOutEverywhere', undefined, user.headers)
  expect(answer.data).toEqual({ success: true })
  expect(await isAlive(user.token)).toBe(false)
  expect(await isAlive(neighbour.token)).toBe(true)
  expect((await app.call('account.signOutEverywhere', undefined, user.headers)).code).toBe('UNAUTHORIZED')
})

test('a user without a password can set one shortly after signing in with the provider, but not later', async () => {
  const user = await createUser(app.services)
  const token = await createSession(app.services, user.id, new Date(Date.now() - 6 * 60_000))
  const set = (headers: Record<string, string>) =>
    app.call('account.changePassword', { newPassword: NEW_PASSWORD }, headers)
  expect((await set({ authorization: `Bearer ${token}` })).code).toBe('FORBIDDEN')
  expect((await set(user.headers)).status).toBe(200)
  expect((await app.call('session.create', { email: user.email, password: NEW_PASSWORD })).status).toBe(200)
})
