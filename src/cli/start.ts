import { ConfigError, loadConfig } from '../server/config.ts'
import { serve } from './serve.ts'

/** `npm start`: checks the environment before anything else runs, then serves until SIGTERM. */
try {
  await serve(loadConfig(), { dev: process.argv.includes('--dev') })
} catch (error) {
  if (error instanceof ConfigError) for (const fault of error.faults) console.error(fault)
  else console.error(error)
  process.exit(1)
}
