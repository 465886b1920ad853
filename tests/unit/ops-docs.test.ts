// What the documents point to is there.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createMetrics } from '../../src/server/telemetry/metrics.ts'

const ROOT = join(import.meta.dirname, '../..')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs')).map((file) => `docs/${file}`),
].filter((file) => file.endsWith('.md') && existsSync(join(ROOT, file)))
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

describe.each(pages)('%s', (page) => {
  test('links and named files lead somewhere', () => {
    const text = read(page)
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map((m) =>
      resolve(ROOT, dirname(page), m[1]!),
    )
    const named = [...text.matchAll(/`((?:tests|src|docs|prisma)\/[\w./-]+\.\w+)`/g)].map((m) =>
      join(ROOT, m[1]!),
    )
    expect([...links, ...named].filter((file) => !existsSync(file))).toEqual([])
  })

  test('commands it names exist', () => {
    const { scripts } = JSON.parse(read('package.json'))
    const named = [...read(page).matchAll(/npm run ([a-z][a-z:-]*)/g)].map((m) => m[1]!)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})

test('every metric of ours is in docs/operations.md, and no other', async () => {
  const ours = [...(await createMetrics().text()).matchAll(/^# TYPE pigeonhole_(\w+)/gm)].map((m) => m[1]!)
  const table = read('docs/operations.md').split('| Metric')[1]!.split('\n\n')[0]!
  const named = [...table.matchAll(/^\| `(\w+)/gm)]
    .map((m) => m[1]!)
    .filter((name) => !name.startsWith('nodejs_'))
  expect(named.sort()).toEqual(ours.sort())
})

test('docs/decisions/README.md lists every record with its title, date and status', () => {
  const records = readdirSync(join(ROOT, 'docs/decisions'))
    .filter((file) => /^\d{3}-/.test(file))
    .sort()
  const rows = records.map((file) => {
    const head = /^# (.+)\n\n- Date: (\d{4}-\d\d-\d\d)\n- Status: (.+)\n/.exec(read(`docs/decisions/${file}`))
    expect(head, `${file} starts as docs/decisions/template.md does`).not.toBeNull()
    return `| [${head![1]}](${file}) | ${head![2]} | ${head![3]} |`
  })
  const table = read('docs/decisions/README.md')
    .split('\n')
    .filter((line) => /^\| \[\d{3}/.test(line))
  expect(table).toEqual(rows)
})
