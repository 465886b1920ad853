import type pg from 'pg'
import { createSql } from '../../server/adapters/postgres/sql.ts'
import { isNode, type Node, nodesIn, parseNodeTree, UNEXPECTED_TREE } from './node-tree.ts'
import {
  type Catalog,
  isOutputNullable,
  originOfOutput,
  outputsOf,
  requiredParams,
  testedParams,
} from './nullability.ts'

/** Values and columns of a statement. Types have PostgreSQL's names, such as `uuid` and `text[]`. */
export type Description = {
  params: { type: string; nullable: boolean }[]
  /** `origin`: the table column that the value comes from, as `table.column`. */
  columns: { name: string; type: string; nullable: boolean; origin: string | undefined }[]
}

export type Describer = {
  /** @throws PostgreSQL's error if it rejects the statement */
  describe(text: string, values: string[]): Promise<Description>
  /** Values of each enum, by its name. */
  enums: ReadonlyMap<string, string[]>
  /** All columns, as `table.column`. */
  columns: ReadonlySet<string>
}

/**
 * Creates a describer of statements on a migrated database. Preparing a statement reports its types. Its parse tree shows
 * where nulls can come from. PostgreSQL stores that tree for a function with the statement as its body.
 */
export async function createDescriber(client: pg.Client): Promise<Describer> {
  const sql = createSql(client)
  const attributes = await sql.rows<'listColumns'>`
    SELECT a.attrelid || '.' || a.attnum AS key, c.relname || '.' || a.attname AS name, a.attnotnull AS "notNull"
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relkind = 'r' AND NOT a.attisdropped`
  const functions = await sql.rows<'listFunctions'>`
    SELECT oid::text, proname::text AS name, proisstrict AS strict
    FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace`
  const named = (names: string[]) =>
    new Set(functions.filter((f) => names.includes(f.name)).map((f) => f.oid))
  const accessors = await sql.rows<'listAccessors'>`
    SELECT oid::text FROM pg_operator WHERE oprleft IN ('json'::regtype, 'jsonb'::regtype) AND oprname ~ '>'
      AND oprresult <> 'bool'::regtype`
  const enums = await sql.rows<'listEnums'>`
    SELECT enumtypid::regtype::text AS name, array_agg(enumlabel::text ORDER BY enumsortorder) AS values
    FROM pg_enum GROUP BY enumtypid ORDER BY 1`
  const catalog: Catalog = {
    notNull: new Set(attributes.filter((a) => a.notNull).map((a) => a.key)),
    strict: new Set(functions.filter((f) => f.strict).map((f) => f.oid)),
    total: named(['count', 'row_number', 'jsonb_build_object', 'concat']),
    ofAnyRow: named(['sum', 'min', 'max', 'array_agg']),
    accessors: new Set(accessors.map(({ oid }) => oid)),
  }
  const columnNames = new Map(attributes.map(({ key, name }) => [key, name]))

  return {
    enums: new Map(enums.map(({ name, values }) => [name, values])),
    columns: new Set(columnNames.values()),

    async describe(text, values) {
      await client.query('BEGIN')
      try {
        await client.query(`PREPARE statement AS ${text}`)
        const [types] = await sql.rows<'preparedTypes'>`
          SELECT parameter_types::text[] AS params, result_types::text[] AS results
          FROM pg_prepared_statements WHERE name = 'statement'`
        const { params: found, results } = types!
        const params = found!
        await client.query('DEALLOCATE statement')
        await client.query(
          `CREATE FUNCTION statement(${params.join(', ')}) RETURNS ${results === null ? 'void' : 'SETOF record'}
           LANGUAGE sql BEGIN ATOMIC\n${text};\nEND`,
        )
        const [body] = await sql.rows<'functionBody'>`
          SELECT prosqlbody::text AS tree FROM pg_proc WHERE proname = 'statement'`
        const statement = queryOf(body!.tree!)
        const required = requiredParams(statement, catalog)
        const tested = new Set([...testedParams(statement)].map((n) => values[n - 1]))
        return {
          params: params.map((type, i) => ({
            type,
            // A value that is tested for null can be null wherever it occurs: `$1 IS NULL OR id = $2`.
            nullable: !required.has(i + 1) || tested.has(values[i]),
          })),
          columns: outputsOf(statement).map((entry, i) => ({
            name: String(entry.resname),
            type: results![i]!,
            nullable: isOutputNullable(statement, i + 1, catalog),
            origin: columnNames.get(originOfOutput(statement, i + 1) ?? ''),
          })),
        }
      } finally {
        await client.query('ROLLBACK')
        await client.query('DEALLOCATE ALL')
      }
    },
  }
}

/** Returns the statement, which the body contains as a list in a list. */
function queryOf(tree: string): Node {
  const [statements] = parseNodeTree(tree) as [unknown]
  const query = nodesIn(statements as never)[0]
  if (!isNode(query)) throw new Error(UNEXPECTED_TREE)
  return query
}
