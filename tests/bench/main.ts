/**
 * `npm run bench` runs all benchmarks but `compare` and `upgrade`. `npm run bench -- NAME [ARGUMENT...]` runs tests/bench/NAME.ts, which
 * exports `run`. A table goes to standard output, the same as JSON to .data/bench/NAME.json.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { describeNoise } from './noise.ts'
import type { Bench } from './report.ts'

const HELPERS = new Set([
  'main',
  'report',
  'noise',
  'environment',
  'load',
  'seed',
  'companion',
  'pgbench',
  'nginx',
  'tables',
  'turns',
  'upload-bare',
  'upload-chromium',
])
/** Their first argument is the commit of an older version. */
const NEED_A_COMMIT = new Set(['compare', 'upgrade'])
const here = new URL('.', import.meta.url)
// A dot in a name marks a benchmark's own child process.
const known = readdirSync(here)
  .filter((file) => /^[a-z0-9-]+\.ts$/.test(file))
  .map((file) => file.slice(0, -3))
  .filter((name) => !HELPERS.has(name))
  .sort()

const [wanted, ...args] = process.argv.slice(2)
if (wanted !== undefined && !known.includes(wanted)) {
  console.error(`There is no benchmark ${wanted}. There are: ${known.join(', ')}`)
  process.exit(1)
}

const out = new URL('../../.data/bench/', here)
mkdirSync(out, { recursive: true })
for (const name of wanted === undefined ? known.filter((one) => !NEED_A_COMMIT.has(one)) : [wanted]) {
  const bench = (await import(new URL(`${name}.ts`, here).href)) as Bench
  console.log(`\n${name}`)
  const startedAt = new Date()
  const report = await bench.run(args)
  for (const { rows, notes = [], failed } of [report, ...(report.more ?? [])]) {
    console.table(rows)
    for (const note of notes) console.log(note)
    if (failed) process.exitCode = 1
  }
  if (report.noise) console.log(describeNoise(report.noise))
  const machine = {
    cpus: cpus().length,
    model: cpus()[0]?.model,
    memoryBytes: totalmem(),
    node: process.version,
  }
  const file = new URL(`${name}.json`, out)
  writeFileSync(file, `${JSON.stringify({ name, at: startedAt, machine, ...report }, null, 2)}\n`)
}
