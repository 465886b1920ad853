// One built server for all files of a worker that need no special one, because starting it with its emulators and its
// database takes 2 s of CPU. Each file gets it as if it were new: an empty database, emulators in their
// initial state, no log. Metrics and the environment remain, so files that read or change these, or stop the process,
// start their own.

import { randomPorts } from '../random-ports.ts'
import { testPool } from '../test-pool.ts'
import { ADMIN_SECRET, type BuiltServer, startBuiltServer } from './built-server.ts'

/** The server without the methods that would affect later files. It ends with the worker, and its files are deleted with the run. */
export type SharedServer = Omit<BuiltServer, 'env' | 'signal' | 'end' | 'start' | 'close'> & {
  readonly env: Readonly<Record<string, string>>
}

type Kept = { server: BuiltServer; emptyTables: string }

let kept: Kept | undefined

/** Returns this worker's server in its initial state. For `beforeAll`; from then on, earlier users must not use it. */
export async function sharedServer(): Promise<SharedServer> {
  if (kept) {
    try {
      await clean(kept)
    } catch (error) {
      // The server has ended, its tables have changed, or it blocks this address.
      process.stderr.write(`the shared server is replaced: ${error}\n`)
      const { server } = kept
      kept = undefined
      await server.close()
    }
  }
  kept ??= await start()
  return kept.server
}

/** Returns environment variables with a free port and the site's URL. */
export async function ownSite(): Promise<Record<string, string>> {
  const [port] = await randomPorts(1)
  return { PORT: String(port), NEXTAUTH_URL: `http://localhost:${port}`, ALLOW_SIGNUP: 'true' }
}

async function start(): Promise<Kept> {
  const server = await startBuiltServer(await ownSite(), { cheapPasswords: true })
  return { server, emptyTables: await statementThatEmpties(server) }
}

/** Fails if a test has renamed a table permanently. */
async function statementThatEmpties({ databaseUrl }: BuiltServer): Promise<string> {
  const { rows } = await testPool(databaseUrl).query<{ tables: string[] }>(
    `SELECT array_agg(quote_ident(relname)) AS tables FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> '_prisma_migrations'`,
  )
  const { tables } = rows[0]!
  return [
    // The server's own work may lock rows for a moment, and continues afterwards.
    `SET LOCAL lock_timeout = '10s'`,
    `LOCK TABLE ${tables} IN SHARE ROW EXCLUSIVE MODE`,
    // Skip triggers, which would write events for webhooks, and reference checks.
    'SET LOCAL session_replication_role = replica',
    ...tables.map((table) => `DELETE FROM ${table}`),
    'SELECT setval(seqrelid, seqstart, false) FROM pg_sequence',
  ].join(';')
}

/** Fails if the server has ended, or if wrong credentials of an earlier file still block this address. */
async function assertAnswers(server: BuiltServer): Promise<void> {
  // Each has its own count of wrong credentials, which the process remembers for up to a minute.
  const answers = [
    await server.post('/api/push/token', ADMIN_SECRET, {}),
    await server.get('/api/push/messages/none', ADMIN_SECRET),
    await server.get('/api/admin/files?limit=1', ADMIN_SECRET),
  ]
  const blocked = answers.find(({ status }) => status === 429)
  if (blocked) throw new Error(blocked.text)
}

async function clean({ server, emptyTables }: Kept): Promise<void> {
  await assertAnswers(server)
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
