import { ConfigError, loadConfig } from '../server/config.ts'

/** `npm start`: checks the environment before anything else runs, then serves until SIGTERM. */
const dev = process.argv.includes('--dev')
// As `next start` and `next dev` do; read by Next and React when they are loaded.
Object.assign(process.env, { NODE_ENV: dev ? 'development' : 'production' })
try {
  const config = loadConfig()
  const { serve } = await import('./serve.ts')
  await serve(config, { dev })
} catch (error) {
  if (error instanceof ConfigError) for (const fault of error.faults) console.error(fault)
  else console.error(error)
  process.exit(1)
}
