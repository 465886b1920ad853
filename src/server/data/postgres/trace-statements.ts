import type pg from 'pg'
import type { Trace } from '../../trace.ts'

type Query = (...args: unknown[]) => unknown

/** A span for every statement, with its text as written: values are parameters, and are not told. */
export function traceStatements(pool: pg.Pool, trace: Trace): void {
  wrap(pool)
  // Statements of transactions. What the pool itself asks of a connection has a callback, and its span already.
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

/** `UPDATE files`: the first keyword and the first table. */
function nameOf(text: string): string {
  const keyword = /^\w+/.exec(text)?.[0].toUpperCase() ?? 'statement'
  const table = /\b(?:FROM|INTO|UPDATE)\s+(?:"?public"?\.)?"?(\w+)"?/i.exec(text)?.[1]
  return table ? `${keyword} ${table}` : keyword
}
