import pg from 'pg'
import type { PrismaClient } from '../../../generated/prisma/client.ts'

export type SqlValue = string | number | bigint | boolean | Date | Uint8Array | null | readonly SqlValue[]

/**
 * Hand-written statements on Prisma's pool: 25 µs of CPU where `$queryRaw` takes 125
 * (docs/performance.md). Values become parameters, never text of the statement.
 */
export type Sql = {
  /** Returns bigint for `bigint` and `count(*)`, Date for timestamps, else what `pg` returns. */
  rows<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]>
  /** How many rows the statement's outermost INSERT, UPDATE or DELETE wrote. */
  run(text: TemplateStringsArray, ...values: SqlValue[]): Promise<number>
}

export function createSql(pool: pg.Pool, nameOf: (query: { sql: string }) => string): Sql {
  const texts = new WeakMap<TemplateStringsArray, string>()
  /** Cached: a template's strings are the same object at every call. */
  const textOf = (strings: TemplateStringsArray) => {
    const known = texts.get(strings)
    if (known !== undefined) return known
    const text = strings.reduce((before, after, i) => `${before}$${i}${after}`)
    texts.set(strings, text)
    return text
  }
  const query = (strings: TemplateStringsArray, values: SqlValue[]) => {
    const text = textOf(strings)
    return pool.query({ name: nameOf({ sql: text }), text, values, types })
  }
  return {
    rows: async <Row>(strings: TemplateStringsArray, ...values: SqlValue[]) =>
      (await query(strings, values)).rows as Row[],
    run: async (strings, ...values) => (await query(strings, values)).rowCount ?? 0,
  }
}

/** The same inside a Prisma transaction. */
export function sqlIn(tx: Pick<PrismaClient, '$queryRaw' | '$executeRaw'>): Sql {
  return {
    rows: <Row>(strings: TemplateStringsArray, ...values: SqlValue[]) =>
      tx.$queryRaw<Row[]>(strings, ...values),
    run: (strings, ...values) => tx.$executeRaw(strings, ...values),
  }
}

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format),
}
