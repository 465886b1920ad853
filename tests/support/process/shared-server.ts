// One built server for all files of a worker that need nothing of their own: a start costs some two seconds of a core,
// with its emulators and its database. Whoever asks for it finds nothing of those before: an empty database, emulators
// as they begin, no log. What stays is the process itself, with what it counts (metrics) and its environment, so
// files that look at these, change them, or stop the process start one of their own.

import { freePorts } from '../../../src/cli/local/ports.ts'
import { testPool } from '../test-pool.ts'
import { type BuiltServer, startBuiltServer } from './built-server.ts'

/** Without what would outlast its user. It ends with the worker, its files with the run. */
export type SharedServer = Omit<BuiltServer, 'env' | 'signal' | 'end' | 'start' | 'close'> & {
  readonly env: Readonly<Record<string, string>>
}

type Kept = { server: BuiltServer; emptyTables: string }

let kept: Kept | undefined

/** That of this worker, as if it had just been started. For `beforeAll`: from then on nobody before may use it. */
export async function sharedServer(): Promise<SharedServer> {
  if (kept) {
    try {
      await clean(kept)
    } catch (error) {
      // It ended, or its tables are not what they were.
      process.stderr.write(`the shared server is replaced: ${error}\n`)
      const { server } = kept
      kept = undefined
      await server.close()
    }
  }
  kept ??= await start()
  return kept.server
}

/** A port, and the site that it then is. */
export async function ownSite(): Promise<Record<string, string>> {
  const [port] = await freePorts(20_000 + Math.floor(Math.random() * 12_000), 1)
  return { PORT: String(port), NEXTAUTH_URL: `http://localhost:${port}`, ALLOW_SIGNUP: 'true' }
}

async function start(): Promise<Kept> {
  const server = await startBuiltServer(await ownSite())
  return { server, emptyTables: await statementThatEmpties(server) }
}

/** Of the tables as they are now: one that a test renames and leaves so makes it fail. */
async function statementThatEmpties({ databaseUrl }: BuiltServer): Promise<string> {
  const { rows } = await testPool(databaseUrl).query<{ tables: string[] }>(
    `SELECT array_agg(quote_ident(relname)) AS tables FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> '_prisma_migrations'`,
  )
  const { tables } = rows[0]!
  return [
    // The server's own work may hold rows for a moment, and goes on afterwards.
    `SET LOCAL lock_timeout = '10s'`,
    `LOCK TABLE ${tables} IN SHARE ROW EXCLUSIVE MODE`,
    // Without triggers, which would write webhooks' events, and without looking for references.
    'SET LOCAL session_replication_role = replica',
    ...tables.map((table) => `DELETE FROM ${table}`),
    'SELECT setval(seqrelid, seqstart, false) FROM pg_sequence',
  ].join(';')
}

async function clean({ server, emptyTables }: Kept): Promise<void> {
  await server.get('/api/health/live', null)
  const { s3, apns, apnsSandbox, fcm, webPush } = server.stack
  await s3.up()
  s3.faults.reset()
  s3.requestLog.clear()
  for (const { devices } of [apns, apnsSandbox, fcm]) devices.clear()
  for (const { faults, requestLog } of [apns, apnsSandbox, fcm, webPush]) {
    faults.reset()
    requestLog.clear()
  }
  await testPool(server.databaseUrl).query(emptyTables)
  server.log.length = 0
}
