import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isArgumentError } from './argument-error.ts'
import { buildIfNeeded, ROOT } from './build-if-needed.ts'
import { originsOf } from './local/app-settings.ts'
import { appUrl } from './local/environment.ts'
import { portFault } from './local/ports.ts'
import { refuseSecondRun } from './local/running.ts'
import { runUntilSignal, say, startStack } from './local/stack.ts'
import { welcome } from './local/welcome.ts'
import { packageVersion, wrongUsage } from './usage.ts'

/** `npm run local` and, with `--dev`, `npm run dev`: runs the app and everything it needs on this machine. */
const HELP = `usage: npm run local [-- --data DIR]

Starts the app and everything it needs on this machine: PostgreSQL, an S3 store, push gateways, virtual phones
and a mailbox.

  --data DIR   keeps the data in DIR instead of .data/
  PORT         sets the app's port (default 3000); the services use the next nine free ports
  LISTEN_HOST  sets the app's address (default 127.0.0.1, which only this machine reaches). If it is set,
               NEXTAUTH_URL sets the app's URL (default http://localhost:PORT)`

const args = readArguments()

function readArguments() {
  try {
    return parseArgs({
      options: {
        dev: { type: 'boolean' },
        data: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    if (!isArgumentError(error)) throw error
    console.error(wrongUsage('local', error.message))
    process.exit(1)
  }
}

if (args.help) say(HELP)
else if (args.version) say(packageVersion())
else
  runUntilSignal(async (closers) => {
    const hotReload = args.dev === true
    const port = Number(process.env.PORT?.trim() || 3000)
    if (!Number.isInteger(port) || port < 1 || port > 65_000)
      throw new Error('PORT must be a whole number from 1 to 65000. Set another one, such as PORT=3100.')
    const dataDir = resolve(ROOT, args.data ?? '.data')
    const url = appUrl(port)
    await refuseSecondRun(dataDir, 'PORT=3100 npm run local -- --data .data-2')
    const stack = await startStack(
      {
        command: 'npm run local',
        checkPort: () => portFault(port, 'PORT=3100 npm run local'),
        ...{ port, url, dataDir, hotReload },
        corsOrigins: originsOf(process.env.CORS_ORIGINS),
        env: {},
        async prepare() {
          if (hotReload) return
          say('Building (only when sources changed) ...')
          await buildIfNeeded()
        },
      },
      closers,
    )
    say(welcome({ ...stack, url, dataDir }))
    return stack
  })
