// PostgreSQL 18 from npm on 127.0.0.1, for `npm run local`, the tests and the benchmarks.

import { createServer } from 'node:net'
import pg from 'pg'
import { findBinaries } from './binaries.ts'
import { prepareCluster } from './cluster.ts'
import { findPlace, removePlace } from './home.ts'
import { takeLock } from './lock.ts'
import { PortTaken, Postmaster, stopOrphan } from './postmaster.ts'

export type PostgresOptions = {
  /** Folder of this server alone. Created if missing; later starts find its data. */
  dir: string
  /** Default: a free port. */
  port?: number
  /** Default: 100. */
  maxConnections?: number
  /** Runs without fsync: commits survive `kill()`, but not a power failure. For tests. */
  fast?: boolean
  /** Removes `dir` when the server stops, even if this process is killed. */
  temporary?: boolean
}

export type PostgresServer = {
  readonly port: number
  /** The server's log, overwritten at each start. */
  readonly logFile: string
  /** Returns the superuser's connection string. Default: the database `postgres`. */
  url(database?: string): string
  /** Creates the database if missing, and returns its URL. */
  createDatabase(name: string): Promise<string>
  /** Ends connections, flushes data and releases the folder. Idempotent. */
  stop(): Promise<void>
  /** Sends SIGKILL, for crash tests. Call `restart` or `stop` afterwards. */
  kill(): Promise<void>
  /** Stops the server if it runs, and starts it again on the same port. */
  restart(): Promise<void>
}

/**
 * Starts the server (0.2 s, or 0.8 s for the first time in a folder). As root, it runs as `postgres` or `nobody`. It
 * ends with this process, however that ends.
 * @throws Error if a running process uses the folder, the port is taken, or the npm package is missing
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const { fast = false, temporary = false, maxConnections = 100 } = options
  const place = findPlace(options.dir, temporary)
  const lock = takeLock(place.home)
  let port = options.port ?? 0
  let server: Postmaster | null = null
  let stopped = false

  try {
    const binaries = findBinaries(place.home, place.account)
    await stopOrphan(place)
    const password = prepareCluster(place, binaries)
    const run = () => Postmaster.start(place, binaries, { port, maxConnections, fast, temporary })
    server = await startOnPort()

    async function startOnPort(): Promise<Postmaster> {
      if (options.port !== undefined) return run()
      for (let attempt = 1; ; attempt += 1) {
        port = await freePort()
        try {
          return await run()
        } catch (error) {
          // Another process took the port between the check and PostgreSQL's start.
          if (!(error instanceof PortTaken) || attempt === 5) throw error
        }
      }
    }

    const url = (database = 'postgres') =>
      `postgresql://postgres:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`

    return {
      port,
      logFile: place.log,
      url,
      createDatabase: async (name) => {
        await createDatabase(url(), name)
        return url(name)
      },
      async stop() {
        if (stopped) return
        stopped = true
        await server?.stop(fast && temporary)
        lock.release()
        if (temporary) removePlace(place)
      },
      async kill() {
        await server?.kill()
      },
      async restart() {
        if (stopped) throw new Error('This server has been stopped. Start a new one.')
        await server?.stop(false)
        await stopOrphan(place)
        server = await run()
      },
    }
  } catch (error) {
    lock.release()
    if (temporary) removePlace(place)
    throw error
  }
}

async function createDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`)
  } catch (error) {
    // duplicate_database, or unique_violation if another process is creating it.
    const code = (error as { code?: string }).code
    if (code !== '42P04' && code !== '23505') throw error
  } finally {
    await client.end()
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}
