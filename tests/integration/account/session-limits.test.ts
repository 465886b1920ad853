import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import { type HttpApp, startHttpApp } from '../../support/app/http-app.ts'
import { startTestApp } from '../../support/app/test-app.ts'
import { trpcRequest } from '../../support/app/trpc-call.ts'
import { createUser } from '../../support/users.ts'

const PASSWORD = 'correct horse battery'
const LIMIT = 2
let app: HttpApp

beforeAll(async () => {
  app = await startHttpApp({ SIGNIN_FAILURES_PER_15_MIN: String(LIMIT) })
})
afterAll(() => app.close())

let lastAddress = 0
/** A separate address for each test. */
const address = () => ({ 'x-pigeonhole-address': `10.0.0.${++lastAddress}` })

const attempt = (email: string, password: string, headers: Record<string, string>) =>
  app.call('session.create', { email, password }, headers)

const codesOf = (answers: { code?: string }[]) => answers.map((a) => a.code ?? 'OK')
const count = (codes: string[], code: string) => codes.filter((c) => c === code).length

test('after that many wrong passwords the account is locked for all addresses and replicas, with the remaining time', async () => {
  const { email } = await createUser(app.services, { password: PASSWORD })
  for (let i = 0; i < LIMIT; i++) expect((await attempt(email, 'wrong', address())).status).toBe(401)
  const rejected = await attempt(email, PASSWORD, address())
  expect(rejected).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' })
  const replica = await startTestApp({ SIGNIN_FAILURES_PER_15_MIN: String(LIMIT) }, app.config.databaseUrl)
  const request = trpcRequest(app.url, 'session.create', { email, password: PASSWORD }, address())
  const elsewhere = handleTrpc(request, Promise.resolve(replica.services))
  expect((await elsewhere.finally(() => replica.close())).status).toBe(429)
  expect(rejected.data.retryAfterSeconds).toBeGreaterThan(800)
  expect(rejected.data.retryAfterSeconds).toBeLessThanOrEqual(900)
  expect(Number(rejected.headers.get('retry-after'))).toBe(rejected.data.retryAfterSeconds)
  // The window has ended.
  await app.db.query("UPDATE rate_limits SET expire = expire - 900000 WHERE key LIKE 'auth:signin:account:%'")
  expect((await attempt(email, PASSWORD, address())).status).toBe(200)
})

test('strangers who lock the account do not lock out the owner at a known address', async () => {
  const { email } = await createUser(app.services, { password: PASSWORD })
  const [home, elsewhere] = [address(), address()]
  expect((await attempt(email, PASSWORD, home)).status).toBe(200)
  for (let i = 0; i < LIMIT; i++) expect((await attempt(email, 'wrong', address())).status).toBe(401)
  expect((await attempt(email, PASSWORD, elsewhere)).status).toBe(429)
  expect((await attempt(email, PASSWORD, home)).status).toBe(200)

  // The known address is limited too, and wrong attempts from it give no access elsewhere.
  for (let i = 0; i < LIMIT; i++) expect((await attempt(email, 'wrong', home)).status).toBe(401)
  expect((await attempt(email, PASSWORD, home)).status).toBe(429)
  expect((await attempt(email, PASSWORD, elsewhere)).status).toBe(429)
  // For another account, this address is unknown.
  const other = await createUser(app.services, { password: PASSWORD })
  for (let i = 0; i < LIMIT; i++) await attempt(other.email, 'wrong', address())
  expect((await attempt(other.email, PASSWORD, home)).status).toBe(429)
})

test('an address stays known to an account for a year', async () => {
  const { email } = await createUser(app.services, { password: PASSWORD })
  const home = address()
  expect((await attempt(email, PASSWORD, home)).status).toBe(200)
  const year = 365 * 24 * 3_600_000
  const { rows } = await app.db.query(
    "UPDATE rate_limits SET expire = expire - $1 WHERE key LIKE 'known:%' || $2 RETURNING expire + $1 AS until",
    [year, Object.values(home)[0]],
  )
  expect(Number(rows[0].until) - Date.now()).toBeGreaterThan(year - 60_000)
  for (let i = 0; i < LIMIT; i++) await attempt(email, 'wrong', address())
  expect((await attempt(email, PASSWORD, home)).status).toBe(429)
})

test('50 parallel guesses, even from the owner’s address, get no more attempts than each limit', async () => {
  const { email } = await createUser(app.services, { password: PASSWORD })
  const home = address()
  expect((await attempt(email, PASSWORD, home)).status).toBe(200)
  const guesses = Array.from({ length: 50 }, (_, i) => attempt(email, `guess ${i}`, i % 2 ? home : address()))
  const codes = codesOf(await Promise.all(guesses))
  expect(count(codes, 'UNAUTHORIZED')).toBe(2 * LIMIT)
})

test('rejected attempts do not extend the window', async () => {
  const email = `${randomUUID()}@example.com`
  for (let i = 0; i < LIMIT; i++) await attempt(email, 'wrong', address())
  const expires = async () =>
    (await app.db.query("SELECT max(expire) FROM rate_limits WHERE key LIKE '%:account:%'")).rows[0].max
  const before = await expires()
  const from = address()
  for (let i = 0; i < 5; i++) expect((await attempt(email, 'wrong', from)).status).toBe(429)
  expect(await expires()).toBe(before)
})

test('an unknown email is limited like a known one', async () => {
  const email = `${randomUUID()}@example.com`
  const codes: string[] = []
  for (let i = 0; i < LIMIT + 1; i++) codes.push(...codesOf([await attempt(email, 'wrong', address())]))
  expect(codes).toEqual([...Array(LIMIT).fill('UNAUTHORIZED'), 'TOO_MANY_REQUESTS'])
})

test('50 parallel guesses get no more attempts than the limit', async () => {
  const { email } = await createUser(app.services, { password: PASSWORD })
  const guesses = Array.from({ length: 50 }, (_, i) => attempt(email, `guess ${i}`, address()))
  const codes = codesOf(await Promise.all(guesses))
  expect(count(codes, 'UNAUTHORIZED')).toBe(LIMIT)
  expect(count(codes, 'TOO_MANY_REQUESTS')).toBe(50 - LIMIT)
})

test('only failures count: any number of correct passwords is accepted, even in parallel', async () => {
  const { email } = await createUser(app.services, { password: PASSWORD })
  const from = address()
  const codes = codesOf(
    await Promise.all(Array.from({ length: 4 * LIMIT }, () => attempt(email, PASSWORD, from))),
  )
  expect(count(codes, 'OK')).toBe(4 * LIMIT)
  for (let i = 0; i < LIMIT; i++) expect((await attempt(email, 'wrong', from)).status).toBe(401)
})

test('an address can fail ten times as often over all accounts, but no more', async () => {
  const from = address()
  const codes: string[] = []
  for (let i = 0; i < 10 * LIMIT + 2; i++)
    codes.push(...codesOf([await attempt(`${randomUUID()}@example.com`, 'wrong', from)]))
  expect(codes).toEqual([...Array(10 * LIMIT).fill('UNAUTHORIZED'), ...Array(2).fill('TOO_MANY_REQUESTS')])
  // Other addresses are unaffected.
  expect((await attempt(`${randomUUID()}@example.com`, 'wrong', address())).status).toBe(401)
})

test('an internal error does not count as a wrong guess', async () => {
  const { email } = await createUser(app.services, { password: PASSWORD })
  const from = address()
  await app.db.query('ALTER TABLE users RENAME TO users_away')
  try {
    for (let i = 0; i < LIMIT + 1; i++) expect((await attempt(email, PASSWORD, from)).status).toBe(500)
  } finally {
    await app.db.query('ALTER TABLE users_away RENAME TO users')
  }
  expect((await attempt(email, PASSWORD, from)).status).toBe(200)
})

test('sign-ups with emails in use count against the address, so that no one can collect emails', async () => {
  const { email } = await createUser(app.services)
  const from = address()
  const codes: string[] = []
  for (let i = 0; i < 10 * LIMIT + 1; i++)
    codes.push(...codesOf([await app.call('account.signUp', { email, password: PASSWORD }, from)]))
  expect(count(codes, 'CONFLICT')).toBe(10 * LIMIT)
  expect(codes.at(-1)).toBe('TOO_MANY_REQUESTS')
})
