import { inspect } from 'node:util'
import { ConfigError, loadConfig } from '../server/config.ts'

/** `npm start`: validates the environment before anything else runs, then serves until SIGTERM. */
const dev = process.argv.includes('--dev')
// As `next start` and `next dev` do. Next and React read it when they are loaded.
Object.assign(process.env, { NODE_ENV: dev ? 'development' : 'production' })
try {
  const config = loadConfig()
  const { serve } = await import('./serve.ts')
  await serve(config, { dev })
} catch (error) {
  process.stderr.write(`${describeError(error)}\n`)
  process.exit(1)
}

/** One line for each problem that an operator can fix; other errors with their stack. */
function describeError(error: unknown): string {
  if (error instanceof ConfigError) return error.faults.join('\n')
  // By name: Next's bundle has a copy of its own.
  if (error instanceof Error && error.name === 'StartupError') return error.message
  return inspect(error)
}
