import pg from 'pg'
import type { PrismaClient } from '../../../generated/prisma/client.ts'
import { retryConflicts } from './errors.ts'
import type { Statements } from './statements.generated.ts'

type TypeMap<Types> = Record<keyof Types, { params: unknown[]; row?: unknown }>

/** Row of the statement with this name. */
export type Row<Name extends keyof Statements> = Extract<Statements[Name], { row: unknown }>['row']

type Tag<Types extends TypeMap<Types>, Result> = <Name extends keyof Types = never>(
  text: TemplateStringsArray,
  ...values: Types[Name]['params']
) => Promise<Result>

/** The forms of a statement from which the others are derived. */
type Runner<Types extends TypeMap<Types>> = {
  /** Returns the rows: bigint for `bigint` and `count(*)`, Date for timestamps, otherwise the values of `pg`. */
  rows<Name extends keyof Types = never>(
    text: TemplateStringsArray,
    ...values: Types[Name]['params']
  ): Promise<Types[Name]['row'][]>
  /** Returns how many rows the outermost INSERT, UPDATE or DELETE wrote. */
  run: Tag<Types, number>
}

/**
 * SQL statements on Prisma's pool, which take 25 µs of CPU instead of the 125 µs of `$queryRaw` (docs/performance.md).
 * Values become parameters, never text of the statement. A statement's name selects the types that PostgreSQL reported;
 * `npm run sql:types` updates them after a change.
 */
export type Sql<Types extends TypeMap<Types> = Statements> = Runner<Types> & {
  /** Returns the first row, or null if there is none. */
  row<Name extends keyof Types = never>(
    text: TemplateStringsArray,
    ...values: Types[Name]['params']
  ): Promise<Types[Name]['row'] | null>
  /** Returns whether the statement wrote a row. */
  wrote: Tag<Types, boolean>
  /** For a statement whose number of rows does not matter. */
  write: Tag<Types, void>
}

export function createSql<Types extends TypeMap<Types> = Statements>(
  connection: { query(query: pg.QueryConfig): Promise<pg.QueryResult> },
  nameOf: (query: { sql: string }) => string = () => '',
): Sql<Types> {
  const query = (strings: TemplateStringsArray, values: unknown[]) => {
    const text = textOf(strings)
    return connection.query({ name: nameOf({ sql: text }), text, values, types })
  }
  return sqlOf({
    rows: async (strings, ...values) => (await query(strings, values)).rows,
    run: async (strings, ...values) => (await query(strings, values)).rowCount ?? 0,
  })
}

const texts = new WeakMap<TemplateStringsArray, string>()

/** Cached, because a template's strings are the same object in every call. */
function textOf(strings: TemplateStringsArray): string {
  const known = texts.get(strings)
  if (known !== undefined) return known
  const text = strings.reduce((before, after, i) => `${before}$${i}${after}`)
  texts.set(strings, text)
  return text
}

/** Runs statements in a Prisma transaction. */
export function sqlIn<Types extends TypeMap<Types> = Statements>(
  tx: Pick<PrismaClient, '$queryRaw' | '$executeRaw'>,
): Sql<Types> {
  return sqlOf({
    rows: (strings, ...values) => tx.$queryRaw(strings, ...values),
    run: (strings, ...values) => tx.$executeRaw(strings, ...values),
  })
}

/** Repeats each statement after a conflict with another one. */
export const retryingSql = <Types extends TypeMap<Types>>({ rows, run }: Runner<Types>): Sql<Types> =>
  sqlOf({
    rows: (...statement) => retryConflicts(() => rows(...statement)),
    run: (...statement) => retryConflicts(() => run(...statement)),
  })

const sqlOf = <Types extends TypeMap<Types>>({ rows, run }: Runner<Types>): Sql<Types> => ({
  rows,
  run,
  row: async (...statement) => (await rows(...statement))[0] ?? null,
  wrote: async (...statement) => (await run(...statement)) > 0,
  write: async (...statement) => void (await run(...statement)),
})

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format),
}
