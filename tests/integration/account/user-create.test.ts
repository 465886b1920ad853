import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SessionUser } from '../../../src/server/domain/accounts/principal.ts'
import { type HttpApp, startHttpApp } from '../../support/app/http-app.ts'
import { childEnv } from '../../support/process/child-env.ts'
import { commandHere } from '../../support/process/command-here.ts'
import { createSoftwarePasskey } from '../../support/software-authenticator.ts'

const CLI = fileURLToPath(new URL('../../../src/cli/user-create.ts', import.meta.url))
const PASSWORD = 'correct horse battery'
let app: HttpApp

beforeAll(async () => {
  app = await startHttpApp()
})
afterAll(() => app.close())

/** Runs the command with only DATABASE_URL in its environment. */
async function userCreate(
  args: string[],
  env: Record<string, string> = { DATABASE_URL: app.env.DATABASE_URL! },
) {
  const { out, ...ended } = await commandHere('user-create', args, env)
  return { ...ended, last: out.trim().split('\n').at(-1) ?? '' }
}

/** Runs the same command as a separate process. */
async function userCreateProcess(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: childEnv({ NODE_ENV: 'test', ...env }),
  })
  const [code, out, err] = await Promise.all([
    new Promise((resolve) => child.on('exit', resolve)),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, last: out.trim().split('\n').at(-1) ?? '', err }
}

const signIn = (email: string, password: string) => app.call('session.create', { email, password })

test('creates a user who can sign in, prints ID and email last, and warns on stderr that ?schema= is ignored', async () => {
  const args = ['--email', ' Ada@Example.com', '--password', PASSWORD, '--quota', '1234']
  const run = await userCreateProcess(args, { DATABASE_URL: `${app.env.DATABASE_URL}?schema=alt` })
  expect(run.code).toBe(0)
  expect(run.err.trim()).toMatch(/^DATABASE_URL has \?schema=.*$/)
  const { data } = await signIn('ada@example.com', PASSWORD)
  expect(JSON.parse(run.last)).toEqual({ id: data.user.id, email: 'ada@example.com' })
  const usage = await app.call('account.usage', undefined, { authorization: `Bearer ${data.token}` })
  expect(usage.data).toEqual({ used: 0, reserved: 0, quota: 1234 })
})

test('changes only the given fields; a new password ends all sessions; the audit log records each change', async () => {
  const email = 'grace@example.com'
  const created = await userCreate(['--email', email, '--password', PASSWORD, '--admin'])
  const { id } = JSON.parse(created.last)
  const { token } = (await signIn(email, PASSWORD)).data
  const headers = { authorization: `Bearer ${token}` }
  const state = async () => ({
    quota: (await app.call('account.usage', undefined, headers)).data.quota,
    role: ((await app.services.authenticate(new Request(app.url, { headers }))) as SessionUser).role,
  })
  expect((await userCreate(['--email', email, '--quota', '99'])).last).toBe(created.last)
  expect(await state()).toEqual({ quota: 99, role: 'admin' })
  expect((await userCreate(['--email', email, '--quota', 'default', '--admin'])).last).toBe(created.last)
  expect(await state()).toEqual({ quota: 524_288_000, role: 'admin' })
  await userCreate(['--email', email, '--no-admin'])
  expect(await state()).toEqual({ quota: 524_288_000, role: 'user' })

  const changed = await userCreate(['--email', email, '--password', `${PASSWORD} staple`])
  expect(changed.last).toBe(created.last)
  expect((await app.call('account.usage', undefined, headers)).status).toBe(401)
  expect((await signIn(email, PASSWORD)).status).toBe(401)
  expect((await signIn(email, `${PASSWORD} staple`)).status).toBe(200)
  // For an administrator, --admin changes nothing.
  const { rows } = await app.db.query(
    `SELECT action, details FROM audit_entries WHERE user_id = $1 AND actor = 'admin' ORDER BY id`,
    [id],
  )
  expect(rows).toEqual([
    { action: 'account.created', details: {} },
    { action: 'user.role.changed', details: { field: 'role', old: 'user', new: 'admin' } },
    { action: 'user.changed', details: { field: 'quotaBytes', old: null, new: 99 } },
    { action: 'user.changed', details: { field: 'quotaBytes', old: 99, new: null } },
    { action: 'user.role.changed', details: { field: 'role', old: 'admin', new: 'user' } },
    { action: 'password.changed', details: {} },
  ])
})

test('--admin rejects users who signed up with an unverified email', async () => {
  const email = 'boss@example.com'
  await app.call('account.signUp', { email, password: PASSWORD })
  const run = await userCreate(['--email', email, '--admin'])
  expect(run).toMatchObject({ code: 1, err: expect.stringMatching(/add --password/) })
  expect((await app.db.query('SELECT role FROM users WHERE email = $1', [email])).rows).toEqual([
    { role: 'user' },
  ])
})

test.each([
  [[], [/--email is missing/]],
  [
    ['--email', 'nobody', '--password', 'short', '--quota', '5GB'],
    [
      /--email must be an email address/,
      /--password must have 12 to 128 characters/,
      /--quota must be a whole number/,
    ],
  ],
  [['--email', 'new@example.com'], [/add --password/]],
  [['--email', 'new@example.com', '--admin'], [/add --password/]],
  [['--email', 'new@example.com', '--owner'], [/--owner/]],
])('%j is rejected with instructions', async (args, messages) => {
  const run = await userCreate(args)
  expect(run.code).toBe(1)
  for (const message of messages) expect(run.err).toMatch(message)
  expect(run.err).toMatch(/Run "npm run user:create -- --help"/)
  expect(
    (await app.db.query("SELECT 1 FROM users WHERE email IN ('nobody', 'new@example.com')")).rowCount,
  ).toBe(0)
})

test('without a database, it says which variable to set', async () => {
  const run = await userCreate(['--email', 'a@example.com', '--password', PASSWORD], {})
  expect(run).toMatchObject({ code: 1, err: expect.stringMatching(/DATABASE_URL is missing/) })
})

test('--remove-passkeys deletes passkeys and recovery codes and ends all sessions', async () => {
  const email = 'lost@example.com'
  const { id } = JSON.parse((await userCreate(['--email', email, '--password', PASSWORD])).last)
  const { token } = (await signIn(email, PASSWORD)).data
  const headers = { authorization: `Bearer ${token}` }
  const options = (await app.call('passkeys.registrationOptions', undefined, headers)).data
  const response = createSoftwarePasskey(app.url).register(options)
  const passkey = (await app.call('passkeys.register', { response }, headers)).data
  expect((await signIn(email, PASSWORD)).code).toBe('FORBIDDEN')

  expect((await userCreate(['--email', email, '--remove-passkeys'])).code).toBe(0)
  expect((await app.call('account.usage', undefined, headers)).status).toBe(401)
  expect((await signIn(email, PASSWORD)).status).toBe(200)
  const { rows } = await app.db.query('SELECT FROM recovery_codes WHERE user_id = $1', [id])
  expect(rows).toEqual([])
  const audited = await app.db.query(
    `SELECT actor, subject_id AS "subjectId" FROM audit_entries WHERE action = 'passkey.deleted' AND user_id = $1`,
    [id],
  )
  expect(audited.rows).toEqual([{ actor: 'admin', subjectId: passkey.id }])
})

test('an account that the operator takes over loses the passkeys of the user who signed up', async () => {
  const email = 'squatted@example.com'
  const { token } = (await app.call('account.signUp', { email, password: PASSWORD })).data
  const headers = { authorization: `Bearer ${token}` }
  const passkey = createSoftwarePasskey(app.url)
  const options = (await app.call('passkeys.registrationOptions', undefined, headers)).data
  await app.call('passkeys.register', { response: passkey.register(options) }, headers)
  await userCreate(['--email', email, '--password', 'a staple for the horse'])
  const response = passkey.signIn((await app.call('session.passkeyOptions')).data)
  expect((await app.call('session.createWithPasskey', { response })).status).toBe(401)
  expect((await signIn(email, 'a staple for the horse')).status).toBe(200)
})
