import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { statementsIn } from '../../src/cli/sql-types/find-statements.ts'
import { allStatements, TARGET } from '../../src/cli/sql-types.ts'

test('every statement has the types of its current text and a unique name (otherwise: npm run sql:types)', () => {
  const statements = allStatements()
  expect(statements.length).toBeGreaterThan(100)
  const described = readFileSync(TARGET, 'utf8').matchAll(/^ {2}(\w+): \{ hash: '(\w+)'/gm)
  const known = new Map([...described].map(([, name, hash]) => [name!, hash!]))
  const changed = statements.filter(({ name, hash }) => name === undefined || known.get(name) !== hash)
  expect(changed.map(({ name, place }) => `${place} ${name}`)).toEqual([])
  expect(new Set(statements.map(({ name }) => name)).size).toBe(statements.length)
  expect([...known.keys()].sort()).toEqual(statements.map(({ name }) => name!).sort())
})

test('SQL that reads or writes rows is in typed statements only', () => {
  const control = /^\W+(BEGIN|COMMIT|ROLLBACK|SET|PREPARE|DEALLOCATE|CREATE)\b/
  const untyped = globSync('src/{server,cli}/**/*.ts', { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\.query(<|\(\s*["'`].*)|\$\w+Raw\w*</g)]
      .filter(([, argument = '']) => !control.test(argument))
      .map(([call]) => `${file}: ${call}`),
  )
  expect(untyped).toEqual([])
})

test('statements are found everywhere, with the source of each value', () => {
  const source = `const find = (id: string) =>
  retry(() => tx.sql.rows<'find'>\`SELECT name FROM users WHERE id = \${id}::uuid AND \${a.b ?? null}::int = 1\`)
await run\`not a member\`
await sql.run\`DELETE FROM users\``
  expect(statementsIn('a.ts', source)).toMatchObject([
    {
      name: 'find',
      kind: 'rows',
      place: 'a.ts:2',
      text: 'SELECT name FROM users WHERE id = $1::uuid AND $2::int = 1',
      values: ['id', 'a.b ?? null'],
    },
    { name: undefined, kind: 'run', place: 'a.ts:4', text: 'DELETE FROM users' },
  ])
})
