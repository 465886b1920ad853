import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * Loads `.env` of the working directory into the environment, for every command that reads the environment.
 * Variables that are set already win. `PIGEONHOLE_ENV_FILE` names another file; empty: none. As with Next, tests
 * (NODE_ENV=test) load none by themselves.
 * @throws Error that names the file if it cannot be read
 */
export function loadEnvFile(): void {
  // Next has a loader of its own, which also reads .env.local and .env.production: one precedence, not two.
  process.env.__NEXT_PROCESSED_ENV = 'true'
  const named = process.env.PIGEONHOLE_ENV_FILE
  if (named === '' || (named === undefined && process.env.NODE_ENV === 'test')) return
  const file = resolve(named ?? '.env')
  if (named === undefined && !existsSync(file)) return
  try {
    process.loadEnvFile(file)
  } catch (error) {
    throw new Error(`The environment file ${file} cannot be read: ${(error as Error).message}`)
  }
}
