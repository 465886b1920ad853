import { expect, test } from 'vitest'
import { createStatementNames } from '../../src/server/adapters/postgres/statement-names.ts'

test('a statement keeps its name, and others have different names', () => {
  const name = createStatementNames()
  const first = name({ sql: 'SELECT a FROM t WHERE id = $1' })
  const second = name({ sql: 'SELECT b FROM t WHERE id = $1' })
  expect(first).not.toBe('')
  expect(second).not.toBe(first)
  expect(name({ sql: 'SELECT a FROM t WHERE id = $1' })).toBe(first)
})

test.each([
  'SELECT * FROM t',
  'UPDATE t SET a = 1 RETURNING t.*',
  'SELECT a FROM t WHERE id IN ($1,$2)',
  'INSERT INTO t (a) VALUES ($1), ($2)',
])('%s has no name: its columns or its length change', (sql) => {
  expect(createStatementNames()({ sql })).toBe('')
})

test('the number of statements per connection is limited', () => {
  const name = createStatementNames()
  const names = Array.from({ length: 1000 }, (_, i) => name({ sql: `SELECT ${i}` }))
  expect(new Set(names).size).toBe(201)
  expect(names.at(-1)).toBe('')
})
