// pigeonhole dev: the service and everything it needs, for developing another app in the current folder.

import { mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ConfigError, loadConfig } from '../server/config/config.ts'
import { isArgumentError } from './argument-error.ts'
import { readAppSettings } from './local/app-settings.ts'
import { choosePort, lastPort } from './local/choose-port.ts'
import { addressOf, DATA_FOLDER, PORT_FILE, SERVER_KEY_FILE } from './local/data-folder.ts'
import { devWelcome } from './local/dev-welcome.ts'
import { updateEnvLocal } from './local/env-local.ts'
import { portFault, retryWithOtherPorts } from './local/ports.ts'
import { refuseSecondRun } from './local/running.ts'
import { ensureServerKey } from './local/server-key.ts'
import { type LocalStack, runUntilSignal, say, startStack } from './local/stack.ts'
import { IS_PACKED } from './own-files.ts'

/** Origins of most apps' pages during development. */
const USUAL_ORIGINS = ['http://localhost:3000', 'http://localhost:5173']
/** Editors write a file in several steps. */
const SETTLE_MS = 100

const HELP = `Usage: pigeonhole dev [options]

Runs Pigeonhole on this machine, to develop your app: the service with PostgreSQL, an S3 store, push gateways, virtual
phones and a mailbox. Prints what to put into your app's .env.local, or updates it if "pigeonhole init" wrote it. Needs no account and no
Docker.

  --port PORT           port of the service. Default: that of the last run, or initially 3100 or the next free port;
                        the other services use the next nine free ports
  LISTEN_HOST           address of the service. Default: 127.0.0.1, which only this machine reaches
  CORS_ORIGINS          origins of your app's pages. Default: ${USUAL_ORIGINS.join(',')}
  UPLOAD_POLICIES_FILE  file with upload policies; the service restarts when it changes

CORS_ORIGINS and UPLOAD_POLICIES_FILE can also be in .env.local or .env. All data is in ${DATA_FOLDER}/ in this folder; delete it to start over.
Ctrl-C stops everything.`

const options = readOptions()
if (options.help) say(HELP)
else
  runUntilSignal(async (closers) => {
    const folder = process.cwd()
    const { corsOrigins = USUAL_ORIGINS, policiesFile } = readAppSettings(folder)
    const dataDir = resolve(folder, DATA_FOLDER)
    createDataFolder(dataDir)
    // Before the port is chosen and recorded, because the running service uses its port.
    await refuseSecondRun(dataDir, 'run it in another folder')
    const portFile = join(dataDir, PORT_FILE)
    const previousPort = await lastPort(portFile)
    const appEnv = {
      CORS_ORIGINS: corsOrigins.join(','),
      UPLOAD_POLICIES_FILE: policiesFile ?? '',
    }
    const start = async () => {
      const port = await choosePort(portFile, options.port)
      const url = addressOf(port)
      const stack = await startStack(
        {
          command: 'pigeonhole dev',
          checkPort: () => portFault(port, 'npx pigeonhole dev --port 3200'),
          ...{ port, url, dataDir, corsOrigins, env: appEnv, hotReload: false },
          async prepare(env) {
            loadConfig(env)
            if (!IS_PACKED) await (await import('./build-if-needed.ts')).buildIfNeeded()
          },
        },
        closers,
      )
      return { url, stack }
    }
    const stop = async () => {
      for (const close of closers.splice(0)) await close()
    }
    const { url, stack } = await (options.port === undefined ? retryWithOtherPorts(start, stop) : start())
    const key = await ensureServerKey(
      stack.localUrl,
      stack.secrets.adminSecret,
      join(dataDir, SERVER_KEY_FILE),
    )
    const previousUrl = previousPort === undefined ? undefined : addressOf(previousPort)
    const isInEnvLocal = updateEnvLocal(folder, { url, key, previousUrl })
    say(devWelcome({ ...stack, url, key, isInEnvLocal, corsOrigins, policiesFile, folder: DATA_FOLDER }))
    if (policiesFile) closers.unshift(watchPolicies(policiesFile, stack))
    return stack
  })

function readOptions(): { port?: number; help?: boolean } {
  try {
    const { values } = parseArgs({
      options: { port: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    })
    if (values.port === undefined) return { help: values.help }
    const port = Number(values.port)
    if (Number.isInteger(port) && port >= 1 && port <= 65_000) return { port, help: values.help }
    return wrongUsage(`--port must be a whole number from 1 to 65000, not ${values.port}.`)
  } catch (error) {
    if (!isArgumentError(error)) throw error
    return wrongUsage(error.message)
  }
}

function wrongUsage(message: string): never {
  console.error(`${message}\nRun "pigeonhole dev --help" for usage.`)
  process.exit(2)
}

/** Creates the folder, which git ignores without a change to the app's own `.gitignore`. */
function createDataFolder(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, '.gitignore'), '*\n')
}

/**
 * Restarts the app when the file's text changes. If the new policies have errors, prints them and lets the app run.
 * Returns a function that stops watching.
 */
function watchPolicies(file: string, stack: LocalStack): () => Promise<void> {
  let current = readText(file)
  let settling: NodeJS.Timeout | undefined
  let applying = Promise.resolve()

  async function apply(): Promise<void> {
    const text = readText(file)
    if (text === current) return
    current = text
    try {
      loadConfig(stack.env)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      say(`${error.faults.join('\n')}\nThe service still uses the previous upload policies.`)
      return
    }
    say('The upload policies have changed. Restarting the service ...')
    await stack.restartApp()
    say('The service uses the new upload policies.')
  }

  // The folder, because many editors replace the file.
  const watcher = watch(dirname(file), (_, name) => {
    if (name !== null && name !== basename(file)) return
    clearTimeout(settling)
    settling = setTimeout(() => {
      applying = applying.then(apply).catch((error: unknown) => {
        say(error instanceof Error ? error.message : String(error))
        process.kill(process.pid, 'SIGTERM')
      })
    }, SETTLE_MS)
  })
  return async () => {
    watcher.close()
    clearTimeout(settling)
  }
}

/** Returns the file's text; undefined while it is missing. */
function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
