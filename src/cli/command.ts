import { databaseFault, isDatabaseError } from '../server/adapters/postgres/errors.ts'
import { MigrationError } from '../server/adapters/postgres/migration-error.ts'
import { describeStoreError } from '../server/adapters/s3/describe-error.ts'
import { httpStatusOf } from '../server/adapters/s3/errors.ts'
import { ConfigError } from '../server/config/config.ts'
import { isArgumentError } from './argument-error.ts'
import { loadEnvFile } from './env-file.ts'
import { IS_PACKED } from './own-files.ts'
import { packageVersion, wrongUsage } from './usage.ts'

/** Error for wrong arguments. A line that names `--help` follows the message. */
export class UsageError extends Error {}

type Command = {
  /** NAME in `npm run NAME`. */
  name: string
  /** Text that `--help` prints. */
  usage: string
  main(argv: string[]): Promise<void>
  /** Exit code if `main` throws. Default: 1. */
  failureCode?: number
}

/** Runs a command with the environment and `.env`. Prints errors in lines that start with the command's name. */
export async function runCommand({ name, usage, main, failureCode = 1 }: Command): Promise<void> {
  const argv = process.argv.slice(2)
  if (argv.includes('--help') || argv.includes('-h')) {
    console.log(asRunHere(usage))
    return
  }
  if (argv.includes('--version')) {
    console.log(packageVersion())
    return
  }
  try {
    loadEnvFile()
    await main(argv)
  } catch (error) {
    process.exitCode = failureCode
    if (error instanceof UsageError || isArgumentError(error))
      console.error(asRunHere(wrongUsage(name, error.message)))
    else if (error instanceof ConfigError) console.error(`${name}: ${error.faults.join('\n')}`)
    // A MigrationError is one line already; its cause has the database's code.
    else if (!(error instanceof MigrationError) && isDatabaseError(error))
      console.error(`${name}: the database cannot be used: ${databaseFault(error)}`)
    else if (httpStatusOf(error) !== undefined)
      console.error(`${name}: the store returned ${describeStoreError(error)}`)
    else console.error(asRunHere(`${name}: ${error instanceof Error ? error.message : error}`))
  }
}

/** Returns a text that names npm scripts, such as `npm run doctor -- --json`, with the packed package's commands. */
function asRunHere(text: string): string {
  if (!IS_PACKED) return text
  return text.replace(
    /npm run ([\w:-]+)(?:( \[?)-- )?/g,
    (_, command, gap = '') => `npx pigeonhole ${command}${gap}`,
  )
}
