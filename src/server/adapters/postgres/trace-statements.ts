import type pg from 'pg'
import type { Trace } from '../../kernel/trace.ts'

type Query = (...args: unknown[]) => unknown

/** Creates a span for every statement with its text. Values are parameters and are not recorded. */
export function traceStatements(pool: pg.Pool, trace: Trace): void {
  wrap(pool)
  // For transactions. Queries of the pool itself have a callback, and already a span.
  pool.on('connect', wrap)

  function wrap(target: { query: unknown }): void {
    const query = (target.query as Query).bind(target)
    target.query = (...args: unknown[]) => {
      if (typeof args.at(-1) === 'function') return query(...args)
      const text = textOf(args[0])
      return trace.call(nameOf(text), { 'db.system.name': 'postgresql', 'db.query.text': text }, async () =>
        query(...args),
      )
    }
  }
}

function textOf(query: unknown): string {
  const text = typeof query === 'string' ? query : (query as { text?: unknown }).text
  return String(text ?? '')
    .replace(/\s+/g, ' ')
    .trim()
}

const TABLE = String.raw`\s+(?:"?public"?\.)?"?(\w+)"?`
const WRITTEN = new RegExp(String.raw`\b(?:INTO|DELETE\s+FROM|(?<!\b(?:FOR|KEY|DO)\s+)UPDATE)${TABLE}`, 'i')
const READ = new RegExp(String.raw`\bFROM${TABLE}`, 'i')

/** Returns the first keyword and the first table written, or else read, such as `UPDATE files`. */
function nameOf(text: string): string {
  const keyword = /^\w+/.exec(text)?.[0].toUpperCase() ?? 'statement'
  const table = (WRITTEN.exec(text) ?? READ.exec(text))?.[1]
  return table ? `${keyword} ${table}` : keyword
}
