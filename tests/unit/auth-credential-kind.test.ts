import { encode } from 'next-auth/jwt'
import { expect, test } from 'vitest'
import { credentialKind } from '../../src/server/domain/accounts/credential-kind.ts'

const SECRET = 'a-secret-that-is-long-enough-for-tests'
const HEADER = Buffer.from('{"alg":"none"}').toString('base64url')

test('a session token of any length is recognized by its form', async () => {
  for (const sid of ['', 'x'.repeat(2000)])
    expect(credentialKind(await encode({ secret: SECRET, token: { sid }, maxAge: 60 }))).toBe('session')
})

test.each([
  [`${HEADER}.e30.c2ln`, 'jwt'],
  [`${HEADER}.e30.`, 'jwt'],
  [`${HEADER}.e30`, 'other'],
  [`${HEADER}..e30.e30.`, 'other'],
  ['ph_abc', 'other'],
  ['pk_abc', 'apiKey'],
  ['nonsense', 'other'],
  ['a.b c.d', 'other'],
  ['', 'other'],
])('%s is %s', (credential, kind) => {
  expect(credentialKind(credential)).toBe(kind)
})
