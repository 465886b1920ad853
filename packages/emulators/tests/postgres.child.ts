// Process that runs a server until it is killed: prints its URL as a JSON line, then waits.
// Arguments: the folder, and "temporary" for a server whose folder is removed with it.

import { startPostgres } from '../src/postgres/server.ts'

const [dir = '', mode] = process.argv.slice(2)
try {
  const server = await startPostgres({ dir, temporary: mode === 'temporary', fast: true })
  console.log(JSON.stringify({ url: server.url(), logFile: server.logFile }))
  process.on('SIGTERM', () => server.stop().then(() => process.exit(0)))
  setInterval(() => {}, 60_000)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
