// The cookie by which a browser is recognized.

import { expect, test } from 'vitest'
import { browserCookie } from '../../src/server/api/http/next-auth/cookies.ts'
import { createKnownBrowsers } from '../../src/server/domain/accounts/known-browsers.ts'

const OLD = 'a-secret-that-is-long-enough-for-tests'
const NEW = 'another-secret-that-is-long-enough-for-tests'
const users = Array.from({ length: 11 }, (_, n) => `019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e${10 + n}`)
const browsers = createKnownBrowsers([OLD])

test('a browser remembers the last ten users without their IDs', () => {
  const cookie = users.reduce<string | undefined>((before, id) => browsers.remember(before, id), undefined)!
  expect(users.map((id) => browsers.isKnown(cookie, id))).toEqual([false, ...Array(10).fill(true)])
  const marks = cookie.split('.')
  expect(new Set(marks).size).toBe(10)
  for (const mark of marks) expect(Buffer.from(mark, 'base64url')).toHaveLength(32)
  for (const id of users) expect(cookie).not.toContain(id)
})

test('only this service can compute a mark, also during a rotation of its secret', () => {
  const [id] = users as [string]
  const cookie = browsers.remember(undefined, id)
  expect(createKnownBrowsers([NEW, OLD]).isKnown(cookie, id)).toBe(true)
  expect(createKnownBrowsers([NEW]).isKnown(cookie, id)).toBe(false)
})

test('the cookie is valid for 400 days, hidden from scripts, and bound to the host with https', () => {
  const attributes = (url: string) => browserCookie(url, 'x').split('; ')
  const common = ['Path=/', `Max-Age=${400 * 86_400}`, 'HttpOnly']
  expect(attributes('http://localhost:3000')).toEqual(['pigeonhole.browser=x', ...common, 'SameSite=Lax'])
  expect(attributes('https://files.example.com')).toEqual([
    '__Host-pigeonhole.browser=x',
    ...common,
    'Secure',
    'SameSite=Lax',
  ])
})
