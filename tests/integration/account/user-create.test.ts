import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HttpApp, startHttpApp } from '../../support/app/http-app.ts'
import { childEnv } from '../../support/process/child-env.ts'

const CLI = fileURLToPath(new URL('../../../src/cli/user-create.ts', import.meta.url))
const PASSWORD = 'correct horse battery'
let app: HttpApp

beforeAll(async () => {
  app = await startHttpApp()
})
afterAll(() => app.close())

/** The command with nothing but DATABASE_URL in its environment. */
async function userCreate(
  args: string[],
  env: Record<string, string> = { DATABASE_URL: app.env.DATABASE_URL! },
) {
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

test('says on stderr that ?schema= is ignored, and goes on', async () => {
  const args = ['--email', 'schema@example.com', '--password', PASSWORD]
  const run = await userCreate(args, { DATABASE_URL: `${app.env.DATABASE_URL}?schema=alt` })
  expect(run.code).toBe(0)
  expect(run.err.trim()).toMatch(/^DATABASE_URL has \?schema=.*$/)
})

const signIn = (email: string, password: string) => app.call('session.create', { email, password })

test('creates a user who can sign in, and prints id and email last', async () => {
  const run = await userCreate(['--email', ' Ada@Example.com', '--password', PASSWORD, '--quota', '1234'])
  expect(run.code).toBe(0)
  const { data } = await signIn('ada@example.com', PASSWORD)
  expect(JSON.parse(run.last)).toEqual({ id: data.user.id, email: 'ada@example.com' })
  const usage = await app.call('account.usage', undefined, { authorization: `Bearer ${data.token}` })
  expect(usage.data).toEqual({ used: 0, reserved: 0, quota: 1234 })
})

test('changes the password, which ends the sessions, or the quota, which does not', async () => {
  const email = 'grace@example.com'
  const created = await userCreate(['--email', email, '--password', PASSWORD])
  const { token } = (await signIn(email, PASSWORD)).data
  const usage = () => app.call('account.usage', undefined, { authorization: `Bearer ${token}` })
  expect((await userCreate(['--email', email, '--quota', '99'])).last).toBe(created.last)
  expect((await usage()).data.quota).toBe(99)
  await userCreate(['--email', email, '--quota', 'default'])
  expect((await usage()).data.quota).toBe(524_288_000)

  const changed = await userCreate(['--email', email, '--password', `${PASSWORD} staple`])
  expect(changed.last).toBe(created.last)
  expect((await usage()).status).toBe(401)
  expect((await signIn(email, PASSWORD)).status).toBe(401)
  expect((await signIn(email, `${PASSWORD} staple`)).status).toBe(200)
})

test('--admin makes an admin, again changes nothing, --no-admin takes it away; the audit log has both', async () => {
  const email = 'admin@example.com'
  const created = await userCreate(['--email', email, '--password', PASSWORD, '--admin'])
  const { id } = JSON.parse(created.last)
  const role = async () => (await app.db.query('SELECT role FROM users WHERE id = $1', [id])).rows[0].role
  expect(await role()).toBe('admin')
  const { token } = (await signIn(email, PASSWORD)).data
  expect((await userCreate(['--email', email, '--admin'])).last).toBe(created.last)
  expect((await userCreate(['--email', email, '--quota', '99'])).code).toBe(0)
  expect(await role()).toBe('admin')
  const caller = new Request(app.url, { headers: { authorization: `Bearer ${token}` } })
  expect(await app.services.authenticate(caller)).toMatchObject({ id, via: 'session', role: 'admin' })
  await userCreate(['--email', email, '--no-admin'])
  expect(await app.services.authenticate(caller)).toMatchObject({ id, role: 'user' })
  const { rows } = await app.db.query(
    `SELECT actor, details FROM audit_entries WHERE user_id = $1 AND action = 'user.role.changed' ORDER BY id`,
    [id],
  )
  expect(rows).toEqual(['admin', 'user'].map((changed) => ({ actor: 'admin', details: { role: changed } })))
})

test('--admin does not go to whoever signed up with an email that nobody has proven', async () => {
  const email = 'boss@example.com'
  await app.call('account.signUp', { email, password: PASSWORD })
  const run = await userCreate(['--email', email, '--admin'])
  expect(run).toMatchObject({ code: 1, err: expect.stringMatching(/give --password too/) })
  expect((await app.db.query('SELECT role FROM users WHERE email = $1', [email])).rows).toEqual([
    { role: 'user' },
  ])
})

test.each([
  [[], /--email is missing/],
  [['--email', 'nobody'], /--email must be an email address/],
  [['--email', 'new@example.com'], /give --password/],
  [['--email', 'new@example.com', '--password', 'short'], /--password must have 12 to 128 characters/],
  [
    ['--email', 'new@example.com', '--password', PASSWORD, '--quota', '5GB'],
    /--quota must be a whole number/,
  ],
  [['--email', 'new@example.com', '--admin'], /give --password/],
  [['--email', 'new@example.com', '--owner'], /--owner/],
])('%j is refused with what to do', async (args, message) => {
  const run = await userCreate(args)
  expect(run.code).toBe(1)
  expect(run.err).toMatch(message)
  expect(run.err).toMatch(/usage: npm run user:create/)
  expect((await app.db.query("SELECT 1 FROM users WHERE email = 'new@example.com'")).rowCount).toBe(0)
})

test('without a database it says which variable to set', async () => {
  const run = await userCreate(['--email', 'a@example.com', '--password', PASSWORD], {})
  expect(run).toMatchObject({ code: 1, err: expect.stringMatching(/DATABASE_URL is missing/) })
})
