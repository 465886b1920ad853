import { expect, test } from 'vitest'
import { createShareSecrets, isToken } from '../../src/server/domain/shares/share-secrets.ts'
import { hashToken } from '../../src/server/kernel/tokens.ts'

const OLD = 'a-secret-that-is-long-enough-for-tests'
const NEW = 'another-secret-that-is-long-enough-for-tests'
const ID = '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f'
const OTHER_ID = '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e10'
const until = new Date('2026-11-22T12:00:00Z')
const before = new Date(until.getTime() - 1)

const old = createShareSecrets([OLD])
const rotating = createShareSecrets([NEW, OLD])
const rotated = createShareSecrets([NEW])

test('a token has 256 bits and depends on the share and the secret', () => {
  const tokens = [old.tokenOf(ID), old.tokenOf(OTHER_ID), rotated.tokenOf(ID)]
  expect(new Set(tokens).size).toBe(3)
  for (const token of tokens) {
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    expect(isToken(token)).toBe(true)
  }
  expect(isToken(`${tokens[0]}a`)).toBe(false)
})

test('a token can be computed again from its secret', () => {
  const hash = hashToken(old.tokenOf(ID))
  expect(old.findToken(ID, hash)).toBe(old.tokenOf(ID))
  expect(rotating.findToken(ID, hash)).toBe(old.tokenOf(ID))
  expect(rotated.findToken(ID, hash)).toBe(null)
})

test('an unlock is valid for one share and one time, with an accepted secret', () => {
  const cookie = old.unlock(ID, until)
  expect(old.isUnlocked(ID, cookie, before)).toBe(true)
  expect(rotating.isUnlocked(ID, cookie, before)).toBe(true)
  expect(rotated.isUnlocked(ID, cookie, before)).toBe(false)
  expect(old.isUnlocked(ID, cookie, until)).toBe(false)
  expect(old.isUnlocked(OTHER_ID, cookie, before)).toBe(false)
  expect(old.isUnlocked(ID, old.unlock(ID, until).replace(/^\d+/, '9999999999'), before)).toBe(false)
  for (const forged of [undefined, '', '.', `9999999999.${old.tokenOf(ID)}`])
    expect(old.isUnlocked(ID, forged, before)).toBe(false)
})
