import { expect, test } from 'vitest'
import { z } from 'zod'
import { signInInput } from '../../src/server/domain/accounts/schema.ts'
import { fieldErrorsOf, summaryOf } from '../../src/server/kernel/validation.ts'

test('a response names at most 20 errors, regardless of their number and the length of names', () => {
  const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`${i}-${'x'.repeat(200)}`, 1]))
  const fields = fieldErrorsOf(signInInput.safeParse(many).error!)
  expect(Object.keys(fields).length).toBeLessThanOrEqual(20)
  expect(JSON.stringify(fields).length + summaryOf(fields).length).toBeLessThan(5000)
  const items = z.array(z.number()).safeParse(Array(30_000).fill('x'))
  expect(Object.keys(fieldErrorsOf(items.error!))).toHaveLength(20)
})

test('a name that is truncated within a character stays valid Unicode', () => {
  const { error } = z.strictObject({}).safeParse({ [`x${'🐦'.repeat(40)}`]: 1 })
  expect(Object.keys(fieldErrorsOf(error!))[0]!.isWellFormed()).toBe(true)
})
