import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { githubUser } from '../../src/server/api/http/next-auth/github-user.ts'
import { identityFrom } from '../../src/server/api/http/next-auth/identity.ts'

test.each([
  [true, true],
  ['true', true],
  [false, false],
  ['false', false],
  [undefined, false],
  [1, false],
  ['yes', false],
])('email_verified %j counts as %s', (email_verified, verified) => {
  expect(identityFrom('google', '1', { email: 'a@b', email_verified }).emailVerified).toBe(verified)
})

test('names are shortened and cleaned, and other types are ignored', () => {
  const nameOf = (name: unknown) => identityFrom('google', '1', { name }).name
  expect(nameOf(' Ada\nLovelace ')).toBe('Ada Lovelace')
  expect(nameOf('Ada \u202e!ecalevoL\u202c')).toBe('Ada !ecalevoL')
  expect(nameOf('🕊'.repeat(150))).toBe('🕊'.repeat(100))
  expect([nameOf(7), nameOf('  '), nameOf(undefined)]).toEqual([null, null, null])
})

let emails: unknown
const github = createServer((request, response) => {
  const user = { id: 7, login: 'ada', name: null, email: 'public@example.com' }
  const known = request.headers.authorization === 'Bearer good'
  const body = request.url === '/user' ? user : emails
  response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})
let api: string

beforeAll(async () => {
  await once(github.listen(0, '127.0.0.1'), 'listening')
  api = `http://127.0.0.1:${(github.address() as AddressInfo).port}`
})
afterAll(() => github.close())

test("GitHub's primary email counts, not the public one, and only its own verification", async () => {
  emails = [
    { email: 'second@example.com', primary: false, verified: true },
    { email: 'first@example.com', primary: true, verified: false },
  ]
  expect(await githubUser('good', api)).toMatchObject({
    id: 7,
    name: 'ada',
    email: 'first@example.com',
    email_verified: false,
  })
  emails = [{ email: 'first@example.com', primary: true, verified: true }]
  expect(await githubUser('good', api)).toMatchObject({ email: 'first@example.com', email_verified: true })
})

test('without the permission to read emails, sign-in fails', async () => {
  await expect(githubUser('bad', api)).rejects.toThrow('GitHub responded with 401')
})
