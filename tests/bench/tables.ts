/** Prints .data/bench/*.json as Markdown, for docs/performance.md: `node tests/bench/tables.ts [NAME...]`. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Report } from './report.ts'

type Saved = Report & { name: string; at: string; machine: { cpus: number; model?: string; node: string } }

const folder = new URL('../../.data/bench/', import.meta.url)
const wanted = process.argv.slice(2)
for (const file of readdirSync(folder).sort()) {
  if (!file.endsWith('.json') || (wanted.length > 0 && !wanted.includes(file.slice(0, -5)))) continue
  const { name, at, machine, rows, notes } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Saved
  console.log(`### ${name}\n\n${at}, ${machine.cpus} processors (${machine.model}), Node ${machine.node}\n`)
  // Rows can lack columns that do not apply to them.
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  console.log(line(columns))
  console.log(line(columns.map(() => '---')))
  for (const row of rows) console.log(line(columns.map((column) => cell(row[column]))))
  console.log(`\n${(notes ?? []).map((note) => `- ${note}`).join('\n')}\n`)
}

function line(cells: string[]): string {
  return `| ${cells.join(' | ')} |`
}

function cell(value: string | number | undefined): string {
  if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 2 })
  return (value ?? '').replaceAll('|', '\\|')
}
