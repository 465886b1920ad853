// The documents match the code. references.test.ts checks links and paths.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Histogram } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { NODE_FLAGS } from '../../src/cli/node-flags.ts'
import { POOL_SIZES } from '../../src/server/adapters/postgres/pool.ts'
import { createMetrics } from '../../src/server/adapters/telemetry/metrics.ts'
import { MAX_RUNNING_CALLS } from '../../src/server/api/access/call-queue.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

test('every start of the server uses the same flags', () => {
  const command = ['node', ...NODE_FLAGS, 'src/cli/start.ts']
  expect(read('package.json')).toContain(`"start": "${command.join(' ')}"`)
  expect(read('Dockerfile')).toContain(`CMD ${JSON.stringify(command).replaceAll(',', ', ')}`)
  expect(read('src/cli/run.mjs')).toContain(`start: ['${NODE_FLAGS.join("', '")}']`)
  const launcher = 'node src/cli/run.mjs start'
  expect(read('README.md')).toContain(`\n${launcher}`)
  for (const before of ['\n', 'ExecStart=/usr/bin/'])
    expect(read('docs/operations.md')).toContain(before + launcher)
})

test('docs/operations.md has the number of a replica’s connections, which one user cannot use up', () => {
  const { requests, ...others } = POOL_SIZES
  const total = Object.values(others).reduce((sum, size) => sum + size, requests)
  expect(read('docs/operations.md')).toContain(`Up to ${total} per replica: ${requests} for requests`)
  expect(read('docs/operations.md')).toContain(`Above ${total} × replicas × 2`)
  expect(requests).toBeGreaterThan(MAX_RUNNING_CALLS)
})

test('docs/operations.md lists exactly this service’s metrics', async () => {
  const ours = [...(await createMetrics().text()).matchAll(/^# TYPE pigeonhole_(\w+)/gm)].map((m) => m[1]!)
  const table = read('docs/operations.md').split('| Metric')[1]!.split('\n\n')[0]!
  const named = [...table.matchAll(/^\| `(\w+)/gm)]
    .map((m) => m[1]!)
    .filter((name) => !/^(nodejs|process)_/.test(name))
  expect(named.sort()).toEqual(ours.sort())
})

describe('dashboard and alerts', () => {
  /** Labels by metric. Histograms have all names that Prometheus gives them. */
  const labels = new Map<string, string[]>([['up', []]])
  for (const metric of createMetrics().registry.getMetricsAsArray()) {
    const { name, labelNames } = metric as typeof metric & { labelNames: string[] }
    const isHistogram = metric instanceof Histogram
    const names = isHistogram ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name]
    for (const one of names) labels.set(one, [...labelNames, ...(one.endsWith('_bucket') ? ['le'] : [])])
  }
  /** Labels that Prometheus itself adds. */
  const SCRAPE = ['job', 'instance']
  const WORDS = /^(by|and|or|sum|max|rate|increase|delta|histogram_quantile|label_values)$/

  /** Returns unknown metrics and labels in an expression. */
  function unknownIn(expression: string): string[] {
    const names = [...expression.matchAll(/(?<![\w"$.{,])([a-z_]\w*)(?:\{([^}]*)\})?(?=[\s[)},]|$)/g)]
    const selectors = names.filter(([, name]) => labels.has(name!))
    const known = new Set([...SCRAPE, ...selectors.flatMap(([, name]) => labels.get(name!)!)])
    const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap((m) => m[1]!.split(/,\s*/))
    const inBy = new Set(grouped)
    return [
      ...names.map((m) => m[1]!).filter((n) => !labels.has(n) && !WORDS.test(n) && !inBy.has(n)),
      ...grouped.filter((label) => !known.has(label)),
      ...selectors.flatMap(([, name, filter]) =>
        [...(filter ?? '').matchAll(/(\w+)[=!]~?"/g)]
          .map((m) => m[1]!)
          .filter((label) => ![...SCRAPE, ...labels.get(name!)!].includes(label)),
      ),
    ]
  }

  test('a misspelled metric or label is found', () => {
    expect(unknownIn('sum by (state) (rate(pigeonhole_uploads_total{state="READY"}[5m]))')).toEqual([])
    expect(unknownIn('rate(pigeonhole_upload_total[5m])')).toEqual(['pigeonhole_upload_total'])
    expect(unknownIn('rate(pigeonhole_uploads_total{stat="READY"}[5m])')).toEqual(['stat'])
    expect(unknownIn('sum by (stat) (rate(pigeonhole_uploads_total[5m]))')).toEqual(['stat'])
  })

  test('docs/grafana-dashboard.json uses metrics and labels that exist', () => {
    const { panels } = JSON.parse(read('docs/grafana-dashboard.json')) as {
      panels: { targets?: { expr: string; legendFormat: string }[] }[]
    }
    const targets = panels.flatMap(({ targets = [] }) => targets)
    expect(targets.length).toBeGreaterThan(20)
    for (const { expr, legendFormat } of targets) {
      expect(unknownIn(expr), expr).toEqual([])
      // A legend can only name labels that the expression keeps.
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect(/by \(/.test(expr) ? expr : `${expr} instance`, legendFormat).toContain(label)
    }
  })

  test('docs/prometheus-alerts.yml uses metrics and labels that exist', () => {
    const text = read('docs/prometheus-alerts.yml')
    const expressions = [...text.matchAll(/^ +expr: (.+)$/gm)].map((m) => m[1]!)
    expect(expressions.length).toBe([...text.matchAll(/- alert: /g)].length)
    expect(expressions.length).toBeGreaterThan(10)
    for (const expr of expressions) expect(unknownIn(expr), expr).toEqual([])
  })

  test('every metric of this service is in the dashboard', () => {
    const dashboard = read('docs/grafana-dashboard.json')
    const ours = createMetrics()
      .registry.getMetricsAsArray()
      .filter(({ name }) => name.startsWith('pigeonhole_'))
    expect(ours.filter(({ name }) => !dashboard.includes(name)).map(({ name }) => name)).toEqual([])
  })
})

test('docs/decisions/README.md lists every record with its title, date and status', () => {
  const records = readdirSync(join(ROOT, 'docs/decisions'))
    .filter((file) => /^\d{3}-/.test(file))
    .sort()
  const rows = records.map((file) => {
    const head = /^# (.+)\n\n- Date: (\d{4}-\d\d-\d\d)\n- Status: (.+)\n/.exec(read(`docs/decisions/${file}`))
    expect(head, `${file} starts like docs/decisions/template.md`).not.toBeNull()
    return `| [${head![1]}](${file}) | ${head![2]} | ${head![3]} |`
  })
  const table = read('docs/decisions/README.md')
    .split('\n')
    .filter((line) => /^\| \[\d{3}/.test(line))
  expect(table).toEqual(rows)
})
