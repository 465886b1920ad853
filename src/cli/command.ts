import { ConfigError } from '../server/config.ts'
import { MigrationError } from '../server/data/postgres/migration-error.ts'
import { loadEnvFile } from './env-file.ts'

/** Wrong arguments: the message is followed by the command's usage. */
export class UsageError extends Error {}

export type Command = {
  /** As in `npm run NAME`. */
  name: string
  /** What `--help` prints. */
  usage: string
  main(argv: string[]): Promise<void>
  /** Exit code when `main` throws; default 1. */
  failureCode?: number
}

/** Runs a command with the environment and `.env`; problems are printed in lines that begin with its name. */
export async function runCommand({ name, usage, main, failureCode = 1 }: Command): Promise<void> {
  const argv = process.argv.slice(2)
  if (argv.includes('--help') || argv.includes('-h')) {
    console.log(usage)
    return
  }
  try {
    loadEnvFile()
    await main(argv)
  } catch (error) {
    process.exitCode = failureCode
    if (error instanceof UsageError || isArgumentError(error))
      console.error(`${name}: ${error.message}\n\n${usage}`)
    else if (error instanceof ConfigError) console.error(`${name}: ${error.faults.join('\n')}`)
    else if (error instanceof MigrationError) console.error(`${name}: ${error.message}`)
    else console.error(`${name}: ${error instanceof Error ? error.message : error}`)
  }
}

/** What `parseArgs` throws for an unknown or incomplete option. */
function isArgumentError(error: unknown): error is Error {
  return error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
}
