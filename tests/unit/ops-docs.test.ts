// The documents name what the code has. Links and paths: references.test.ts.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMetrics } from '../../src/server/telemetry/metrics.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

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
