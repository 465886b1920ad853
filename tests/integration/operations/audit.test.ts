import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLIENT_ADDRESS_HEADER } from '../../../src/server/api/http/request-info.ts'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import { type AuditEvent, createAudit, MAX_REJECTIONS_PER_MINUTE } from '../../../src/server/kernel/audit.ts'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { trpcRequest } from '../../support/app/trpc-call.ts'
import { until } from '../../support/until.ts'
import { createUser, type TestUser } from '../../support/users.ts'

let app: PushApp
beforeAll(async () => {
  app = await startPushApp({ idle: true, env: { ALLOW_SIGNUP: 'true', SIGNIN_FAILURES_PER_15_MIN: '3' } })
})
afterAll(() => app.close())

/** Each test has its own address, which separates its entries from those of other tests. */
let addresses = 0
const newAddress = () => `198.51.100.${++addresses}`

async function entriesFrom(address: string) {
  const { rows } = await app.db.query(
    'SELECT action, actor, user_id, subject_id, details FROM audit_entries WHERE address = $1 ORDER BY at, id',
    [address],
  )
  return rows
}

async function call(address: string, procedure: string, input?: unknown, user?: TestUser) {
  const headers = { ...user?.headers, [CLIENT_ADDRESS_HEADER]: address }
  const response = await handleTrpc(
    trpcRequest('http://127.0.0.1:3000/', procedure, input, headers),
    Promise.resolve(app.services),
  )
  return { status: response.status, data: (await response.json()).result?.data }
}

describe('the audit log records who did what, and from where', () => {
  test('sign-ins and their failures, without unknown emails', async () => {
    const from = newAddress()
    const password = 'a password that is long'
    const user = await createUser(app.services, { password })
    await call(from, 'session.create', { email: user.email, password })
    await call(from, 'session.create', { email: user.email, password: 'wrong, wrong, wrong' })
    await call(from, 'session.create', { email: 'my-secret@example.com', password: 'wrong, wrong, wrong' })
    const entries = await entriesFrom(from)
    const details = { method: 'password' }
    expect(entries).toMatchObject([
      { action: 'session.created', actor: `user:${user.id}`, user_id: user.id, details },
      { action: 'session.refused', actor: null, user_id: user.id, details },
      { action: 'session.refused', actor: null, user_id: null, details },
    ])
    expect(JSON.stringify(entries)).not.toMatch(/my-secret|wrong/)
  })

  test('no more failed sign-ins than the limit per account allows', async () => {
    const from = newAddress()
    const email = `${randomUUID()}@example.com`
    for (let n = 0; n < 5; n++) await call(from, 'session.create', { email, password: 'wrong, wrong, wrong' })
    expect(await entriesFrom(from)).toHaveLength(app.config.signInFailuresPer15Min)
  })

  test('sign-ups, changed and wrong passwords, ended sessions, deleted accounts', async () => {
    const from = newAddress()
    const email = `${randomUUID()}@example.com`
    const signedUp = await call(from, 'account.signUp', { email, password: 'the first password' })
    const { id } = signedUp.data.user
    const as = (session: { data: { token: string } }) =>
      ({ headers: { authorization: `Bearer ${session.data.token}` } }) as TestUser
    const newPassword = 'the second password'
    await call(
      from,
      'account.changePassword',
      { currentPassword: 'not the first', newPassword },
      as(signedUp),
    )
    const changed = await call(
      from,
      'account.changePassword',
      { currentPassword: 'the first password', newPassword },
      as(signedUp),
    )
    await call(from, 'account.signOutEverywhere', undefined, as(changed))
    const other = await call(from, 'session.create', { email, password: newPassword })
    const again = await call(from, 'session.create', { email, password: newPassword })
    const { data } = await call(from, 'account.sessions', undefined, as(other))
    const revoked = data.items.find((s: { current: boolean }) => s.current).id
    await call(from, 'account.revokeSession', { id: revoked }, as(again))
    await call(from, 'account.delete', { password: newPassword }, as(again))
    const entries = await entriesFrom(from)
    expect(entries.map((e) => e.action)).toEqual([
      'account.created',
      'password.refused',
      'password.changed',
      'session.ended',
      'session.created',
      'session.created',
      'session.ended',
      'account.deleted',
    ])
    for (const entry of entries) expect(entry).toMatchObject({ actor: `user:${id}`, user_id: id })
    const ended = entries.filter(({ action }) => action === 'session.ended')
    expect(ended.map((entry) => entry.subject_id)).toEqual([null, revoked])
  })

  test('push tokens, sends to one user and broadcasts', async () => {
    const owner = await app.user()
    const recipient = await app.user()
    await seedDevices(app.db, 1, { userId: recipient.id, platform: 'ios' })
    const from = newAddress()
    const headers = { [CLIENT_ADDRESS_HEADER]: from }
    const token = await app.createToken({ userId: owner.id, name: 'ci' }, undefined, headers)
    const { token: raw, id } = token.data
    const hello = { title: 'Hello', body: 'World', category: 'news' }
    const direct = await app.send(raw, { ...hello, userId: recipient.id }, headers)
    const broadcast = await app.send(raw, { ...hello, all: true }, headers)
    expect(await entriesFrom(from)).toEqual([
      {
        action: 'push.token.created',
        actor: 'admin',
        user_id: owner.id,
        subject_id: id,
        details: expect.objectContaining({ name: 'ci' }),
      },
      {
        action: 'push.sent',
        actor: `token:${id}`,
        user_id: owner.id,
        subject_id: direct.data.id,
        details: { userId: recipient.id, category: 'news' },
      },
      {
        action: 'push.broadcast',
        actor: `token:${id}`,
        user_id: owner.id,
        subject_id: broadcast.data.id,
        details: { title: 'Hello', category: 'news' },
      },
    ])
    await app.revokeToken(id)
    const { rows } = await app.db.query(`SELECT * FROM audit_entries WHERE action = 'push.token.revoked'`)
    expect(rows).toMatchObject([
      { actor: 'admin', user_id: owner.id, subject_id: id, address: '192.0.2.1', details: { cancelled: 1 } },
    ])
  })

  test('a direct send whose push token was deleted in the meantime', async () => {
    const owner = await app.user()
    const recipient = await app.user()
    await seedDevices(app.db, 1, { userId: recipient.id, platform: 'ios' })
    const raw = await app.tokenOf(owner.id)
    app.apns.faults.set({ hold: true })
    const sending = app.send(raw, { title: 'late', body: 'b', userId: recipient.id })
    await until('APNs holds the push', () => app.apns.faults.holding > 0)
    await app.services.accountDeletion.deleteAccount(owner.id, 'test')
    app.apns.faults.set({ hold: false })
    const { status, data } = await sending
    expect([status, data.sent]).toEqual([200, 1])
    const { rows } = await app.db.query('SELECT user_id FROM audit_entries WHERE subject_id = $1', [data.id])
    expect(rows).toEqual([{ user_id: owner.id }])
    const inbox = await app.query(recipient, 'messages.list')
    expect(inbox.data.items).toMatchObject([{ title: 'late' }])
  })

  test('wrong admin secrets, until they are blocked', async () => {
    const from = newAddress()
    for (let n = 0; n < 25; n++)
      await app.createToken({}, `wrong-secret-number-${n}`, { [CLIENT_ADDRESS_HEADER]: from })
    const entries = await entriesFrom(from)
    expect(entries).toHaveLength(20)
    expect(entries[0]).toEqual({
      action: 'admin.refused',
      actor: null,
      user_id: null,
      subject_id: null,
      details: {},
    })
  })
})

describe('rejections that strangers can cause', () => {
  test('are limited per minute, and the next minute’s entry says how many were omitted', async () => {
    let now = 0
    const stored: AuditEvent[] = []
    const audit = createAudit({
      repo: { add: async (event) => void stored.push(event) },
      clock: { now: () => new Date(now) },
      log: app.services.log,
    })
    const rejected: AuditEvent = { action: 'admin.refused', actor: null, address: '192.0.2.9' }
    for (let n = 0; n < MAX_REJECTIONS_PER_MINUTE + 50; n++) await audit.recordRejection(rejected)
    expect(stored).toHaveLength(MAX_REJECTIONS_PER_MINUTE)
    now = 60_000
    await audit.recordRejection(rejected)
    expect(stored.at(-1)!.details).toEqual({ leftOut: 50 })
    await audit.recordRejection(rejected)
    expect(stored.at(-1)!.details).toBeUndefined()
  })

  test('an entry that cannot be stored goes to the log and does not fail the call', async () => {
    const logged: object[] = []
    const audit = createAudit({
      repo: { add: () => Promise.reject(new Error('no database')) },
      clock: { now: () => new Date() },
      log: { ...app.services.log, error: (details: object) => void logged.push(details) },
    })
    const event: AuditEvent = { action: 'admin.refused', actor: null, address: '192.0.2.9' }
    await audit.record(event)
    expect(logged).toMatchObject([{ audit: event }])
  })
})
