import { inspect } from 'node:util'

// As PID 1 of a container, the process would ignore signals without a handler. Until the server listens, there is
// nothing to drain.
const endAtOnce = () => process.exit(0)
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, endAtOnce)

/** `npm start`: validates the environment before anything else runs, then serves until SIGTERM. */
const dev = process.argv.includes('--dev')
// Like `next start` and `next dev`. Next and React read it when they are loaded.
Object.assign(process.env, { NODE_ENV: dev ? 'development' : 'production' })
const { ConfigError, loadConfig } = await import('../server/config/config.ts')
const { StartupError } = await import('../server/kernel/startup-error.ts')
try {
  const { loadEnvFile } = await import('./env-file.ts')
  loadEnvFile()
  const config = loadConfig()
  const { serve } = await import('./serve.ts')
  await serve(config, { dev })
  for (const signal of ['SIGTERM', 'SIGINT']) process.off(signal, endAtOnce)
} catch (error) {
  process.stderr.write(`${describeError(error)}\n`)
  process.exit(1)
}

/** Returns one line per error that an operator can fix. Other errors keep their stack. */
function describeError(error: unknown): string {
  if (error instanceof ConfigError) return error.faults.join('\n')
  if (error instanceof StartupError) return error.message
  return inspect(error)
}
