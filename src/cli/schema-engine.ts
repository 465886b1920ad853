// Prisma's schema engine as WebAssembly, for development only: computes the changes that make a database match
// schema.prisma. Needs no binary, download or shadow database.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils'
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg'
import pg from 'pg'

export const SCHEMA_FILE = fileURLToPath(new URL('../../prisma/schema.prisma', import.meta.url))

/**
 * Returns the SQL that makes the database match `schema` (the text of a schema.prisma), or '' if it matches. The engine
 * handles tables, columns, enums, full indexes and foreign keys. It ignores CHECK constraints and partial indexes, which
 * tests/integration/operations/migrations-match-schema.test.ts lists.
 */
export async function differenceToSchema(databaseUrl: string, schema = readFileSync(SCHEMA_FILE, 'utf8')) {
  await loadEngine()
  const files = [{ path: SCHEMA_FILE, content: schema }]
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  const adapter = bindMigrationAwareSqlAdapterFactory(new DescribingPrismaPg(pool))
  const instance = await engine.SchemaEngine.new({ datamodels: [[SCHEMA_FILE, schema]] }, () => {}, adapter)
  try {
    const difference = await instance.diff({
      from: { tag: 'schemaDatasource', files, configDir: fileURLToPath(new URL('../../', import.meta.url)) },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: true,
      // The engine itself ignores the table of applied migrations.
      filters: { externalTables: [], externalEnums: [] },
    })
    return difference.exitCode === 0 ? '' : (difference.stdout ?? '')
  } finally {
    instance.free()
    await pool.end()
  }
}

let loaded: Promise<void> | null = null

/** Loads the engine without the package's entry, which imports the .wasm file and causes a warning of Node. */
function loadEngine(): Promise<void> {
  loaded ??= (async () => {
    const require = createRequire(import.meta.url)
    const glue = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg')
    const bytes = readFileSync(glue.replace(/\.js$/, '.wasm'))
    const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': { ...engine } })
    // Here the engine reports the reason of a panic, which would otherwise be lost in a TypeError.
    Object.assign(globalThis, {
      PRISMA_WASM_PANIC_REGISTRY: { set_message: (reason: string) => console.error(reason) },
    })
    engine.__wbg_set_wasm(instance.exports)
    const start = instance.exports.__wbindgen_start
    if (typeof start === 'function') start()
  })()
  return loaded
}

const OID_CHAR = 18
const OID_TEXT = 25

/**
 * The engine's catalog queries return columns of the type "char", which adapter-pg 7.10 does not support: "Column type
 * 'char' could not be deserialized". The engine needs characters, and otherwise panics at the first constraint. These
 * columns therefore pass the adapter as text and get their type back afterwards.
 */
class DescribingPrismaPg extends PrismaPg {
  constructor(pool: pg.Pool) {
    super(pool)
    const charColumns = new Set<string>()
    const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<pg.QueryResult>
    const described: typeof query = async (...args) => {
      const result = await query(...args)
      for (const field of result.fields ?? []) {
        if (field.dataTypeID !== OID_CHAR) continue
        field.dataTypeID = OID_TEXT
        charColumns.add(field.name)
      }
      return result
    }
    Object.assign(pool, { query: described })

    const connect = this.connect.bind(this)
    this.connect = async () => {
      const adapter = await connect()
      const queryRaw = adapter.queryRaw.bind(adapter)
      adapter.queryRaw = async (request) => {
        const result = await queryRaw(request)
        result.columnNames.forEach((name, column) => {
          if (charColumns.has(name)) result.columnTypes[column] = ColumnTypeEnum.Character
        })
        return result
      }
      return adapter
    }
  }
}
