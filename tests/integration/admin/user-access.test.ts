// Administrators reset passwords by email and change roles.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendPasswordReset, signOutUser, updateUser } from '../../../src/server/api/http/admin/users.ts'
import { type MailApp, newEmail, startMailApp } from '../../support/app/mail-app.ts'
import { startTestApp } from '../../support/app/test-app.ts'
import { createSession, createUser, type TestUser } from '../../support/users.ts'

let app: MailApp
let admin: TestUser
beforeAll(async () => {
  app = await startMailApp()
  admin = await createUser(app)
  await app.db.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [admin.id])
})
afterAll(() => app.close())

type Headers = Record<string, string>
async function verified() {
  const user = await createUser(app, { email: newEmail() })
  await app.db.query('UPDATE users SET email_verified_at = now() WHERE id = $1', [user.id])
  return user
}
const request = (path: string, method: string, headers: Headers, body?: object) =>
  new Request(`${app.url}/api/admin/users/${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  })
const mailReset = (id: string, headers: Headers = admin.headers) =>
  sendPasswordReset(request(`${id}/password-reset`, 'POST', headers), app.services, { id })
const change = (id: string, body: object, headers: Headers = admin.headers) =>
  updateUser(request(id, 'PATCH', headers, body), app.services, { id })
const rolesOf = async (id: string) =>
  (
    await app.db.query(
      `SELECT actor, details FROM audit_entries WHERE user_id = $1 AND action = 'user.role.changed' ORDER BY id`,
      [id],
    )
  ).rows

describe('an administrator signs a user out everywhere', () => {
  const signOut = (id: string, headers: Headers = admin.headers) =>
    signOutUser(request(`${id}/sign-out`, 'POST', headers), app.services, { id })

  test('which ends all sessions, is in the audit log, and lets the user sign in again', async () => {
    const user = await verified()
    const old = await createSession(app, user.id)
    expect((await signOut(user.id)).status).toBe(204)
    for (const token of [user.token, old])
      expect((await app.from('account.usage', undefined, { authorization: `Bearer ${token}` })).status).toBe(
        401,
      )
    const { rows } = await app.db.query(
      `SELECT actor, details FROM audit_entries WHERE user_id = $1 AND action = 'session.ended'`,
      [user.id],
    )
    expect(rows).toEqual([{ actor: `user:${admin.id}`, details: { all: true } }])
  })

  test('but not an administrator with a server key, nor a user who does not exist', async () => {
    const { key } = await app.services.serverKeys.create(
      { name: 'shop', scopes: ['users:write'], expiresInDays: 1 },
      { actor: 'admin', address: null, user: null },
    )
    const withKey = { authorization: `Bearer ${key}` }
    expect((await signOut(admin.id, withKey)).status).toBe(403)
    expect((await signOut((await verified()).id, withKey)).status).toBe(204)
    expect((await signOut('x')).status).toBe(404)
  })
})

describe('the password of a user', () => {
  test('is reset with a link that the administrator emails', async () => {
    const user = await verified()
    expect((await mailReset(user.id)).status).toBe(204)
    const token = await app.link('reset-password', user.email)
    const done = await app.from('account.resetPassword', { token, password: 'staple battery horse' })
    expect(done.status).toBe(200)
    expect(
      (await app.from('session.create', { email: user.email, password: 'staple battery horse' })).status,
    ).toBe(200)
  })

  test('is reset with at most five emails an hour per mailbox, whether or not the email is verified', async () => {
    const [user, pending, last] = [await verified(), await app.signUp(), await verified()]
    const claim = await app.signUp(user.email)
    for (const { id } of [user, pending, claim])
      for (let i = 0; i < 7; i++) expect((await mailReset(id)).status).toBe(204)
    await mailReset(last.id)
    await app.link('reset-password', last.email)
    const countOf = (address: string) => app.mailbox.emails.filter(({ to }) => to.includes(address)).length
    // Those that set a password, and those that say that someone else signed up.
    expect(countOf(user.email)).toBe(5 + 5)
    expect(countOf(pending.email)).toBe(5)
  })

  test('is not reset by email for a disabled or unknown user', async () => {
    const user = await verified()
    expect((await change(user.id, { disabled: true })).status).toBe(200)
    expect((await mailReset(user.id)).status).toBe(409)
    expect((await mailReset('unknown')).status).toBe(404)
  })

  test('cannot be reset by email without SMTP_URL, and the error says so', async () => {
    const plain = await startTestApp({})
    const { id } = await createUser(plain)
    const answer = await sendPasswordReset(
      new Request(plain.env.NEXTAUTH_URL!, {
        method: 'POST',
        headers: { authorization: `Bearer ${plain.env.PUSH_TOKEN_ADMIN_SECRET}` },
      }),
      plain.services,
      { id },
    )
    expect(answer.status).toBe(409)
    expect((await answer.json()).error.message).toContain('SMTP_URL')
    await plain.close()
  })
})

describe('the role of a user', () => {
  test('is changed after a recent sign-in only, and the audit log has both roles', async () => {
    const user = await verified()
    const old = await createSession(app, admin.id, new Date(Date.now() - 16 * 60_000))
    expect((await change(user.id, { role: 'admin' }, { authorization: `Bearer ${old}` })).status).toBe(403)
    const made = await change(user.id, { role: 'admin' })
    expect([made.status, (await made.json()).role]).toEqual([200, 'admin'])
    expect((await change(user.id, { role: 'user' })).status).toBe(200)
    const actor = `user:${admin.id}`
    expect(await rolesOf(user.id)).toEqual([
      { actor, details: { field: 'role', old: 'user', new: 'admin' } },
      { actor, details: { field: 'role', old: 'admin', new: 'user' } },
    ])
  })

  test('cannot be the administrator’s own', async () => {
    expect((await change(admin.id, { role: 'user' })).status).toBe(409)
  })

  test('is not given to a user who has not verified the email', async () => {
    const user = await createUser(app, { email: newEmail() })
    await app.db.query('UPDATE users SET email_verified_at = NULL WHERE id = $1', [user.id])
    expect((await change(user.id, { role: 'admin' })).status).toBe(409)
    expect(await rolesOf(user.id)).toEqual([])
  })

  test('is never changed by a server key', async () => {
    const { key } = await app.services.serverKeys.create(
      { name: 'shop', scopes: ['users:write'], expiresInDays: 1 },
      { actor: 'admin', address: null, user: null },
    )
    const user = await verified()
    expect((await change(user.id, { role: 'admin' }, { authorization: `Bearer ${key}` })).status).toBe(403)
  })
})
