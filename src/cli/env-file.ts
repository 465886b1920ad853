import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * Loads `.env` from the working directory into the environment, for every command that reads the environment.
 * Variables that are already set take precedence. `PIGEONHOLE_ENV_FILE` names another file; if it is empty, no file is
 * loaded. Tests (NODE_ENV=test) load no file by default, as with Next.
 * @throws Error that names the file if it cannot be read
 */
export function loadEnvFile(): void {
  // Turns off Next's own loader, which also reads .env.local and .env.production in another order of precedence.
  process.env.__NEXT_PROCESSED_ENV = 'true'
  const named = process.env.PIGEONHOLE_ENV_FILE
  if (named === '' || (named === undefined && process.env.NODE_ENV === 'test')) return
  const file = resolve(named ?? '.env')
  if (named === undefined && !existsSync(file)) return
  try {
    process.loadEnvFile(file)
  } catch (error) {
    throw new Error(
      `Cannot read the environment file ${file}: ${(error as Error).message}. Check PIGEONHOLE_ENV_FILE and permissions.`,
    )
  }
}
