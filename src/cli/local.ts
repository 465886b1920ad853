import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startEmulators } from '@pigeonhole/emulators'
import { startMailbox, startMailboxPage } from '@pigeonhole/emulators/mailbox'
import { startPhones } from '@pigeonhole/emulators/phones'
import { PostgresPackageMissing, startPostgres } from '@pigeonhole/emulators/postgres'
import { isArgumentError } from './argument-error.ts'
import { buildIfNeeded, ROOT } from './build-if-needed.ts'
import { startApp, stopApp, untilReady } from './local/app.ts'
import { DEMO_EMAIL, prepareDemo } from './local/demo.ts'
import { localEnvironment } from './local/environment.ts'
import { freePorts, portFault } from './local/ports.ts'
import { findRunning, recordRunning } from './local/running.ts'
import { ensureSecrets } from './local/secrets.ts'
import { welcome } from './local/welcome.ts'

/** `npm run local` and, with `--dev`, `npm run dev`: runs the app and everything it needs on this machine. */
const HELP = `usage: npm run local [-- --data DIR]

Starts the app and everything it needs on this machine: PostgreSQL, an S3 store, push gateways, virtual phones
and a mailbox.

  --data DIR  keeps the data in DIR instead of .data/
  PORT        sets the app's port (default 3000); the services use the next nine free ports`

const args = readArguments()
const dev = args.dev === true
const port = Number(process.env.PORT?.trim() || 3000)
const dataDir = resolve(ROOT, args.data ?? '.data')
const closers: (() => Promise<unknown>)[] = []

function readArguments() {
  try {
    return parseArgs({
      options: { dev: { type: 'boolean' }, data: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    }).values
  } catch (error) {
    if (!isArgumentError(error)) throw error
    console.error(`local: ${error.message}\n\n${HELP}`)
    process.exit(1)
  }
}

async function run(): Promise<void> {
  if (args.help) {
    say(HELP)
    return
  }
  if (!Number.isInteger(port) || port < 1 || port > 65_000)
    throw new Error('PORT must be a whole number from 1 to 65000. Set another one, such as PORT=3100.')
  const runningFile = join(dataDir, 'running.json')
  const other = await findRunning(runningFile)
  if (other)
    throw new Error(
      `Pigeonhole is already running in this folder: ${other.url} (process ${other.pid}). Stop it with Ctrl-C, or start another with its own data: PORT=3100 npm run local -- --data .data-2`,
    )
  const fault = await portFault(port)
  if (fault) throw new Error(fault)
  const secrets = await ensureSecrets(join(dataDir, 'secrets.json'))
  const url = process.env.NEXTAUTH_URL ?? `http://localhost:${port}`
  const ports = await freePorts(Math.max(port + 1, 1024), 9)
  closers.push(await recordRunning(runningFile, { pid: process.pid, url, databasePort: ports[0]! }))

  say('Starting PostgreSQL, object store and push gateways ...')
  const databaseUrl = await database(ports[0]!)
  const stack = await startEmulators({
    dir: dataDir,
    s3: secrets.s3,
    corsOrigins: [
      ...new Set([url, `http://localhost:${port}`, `http://127.0.0.1:${port}`, ...foreignOrigins()]),
    ],
    ports: { s3: ports[1]!, apns: ports[2]!, apnsSandbox: ports[3]!, fcm: ports[4]!, webPush: ports[5]! },
  })
  closers.unshift(() => stack.close())
  const mailbox = await startMailbox({ port: ports[7]! })
  closers.unshift(() => mailbox.close())
  const mailboxPage = await startMailboxPage(mailbox, ports[8]!)
  closers.unshift(() => mailboxPage.close())

  const env = {
    ALLOW_SIGNUP: 'true',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
    ...stack.env,
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'Pigeonhole <pigeonhole@localhost.example>',
    DATABASE_URL: databaseUrl,
    NEXTAUTH_URL: url,
    NEXTAUTH_SECRET: secrets.sessionSecret,
    PUSH_TOKEN_ADMIN_SECRET: secrets.adminSecret,
    PORT: String(port),
  }
  await command('migrate.ts', [], env)
  if (!dev) {
    say('Building (only when sources changed) ...')
    await buildIfNeeded()
  }

  say('Starting the app ...')
  const app = startApp(env, { dev })
  closers.unshift(() => stopApp(app))
  const local = `http://127.0.0.1:${port}`
  await untilReady(app, local)
  const demo = await prepareDemo(local, secrets, {
    saveUser(password) {
      const login = password === undefined ? [] : [`--password=${password}`]
      return command('user-create.ts', ['--email', DEMO_EMAIL, ...login, '--admin'], env)
    },
    waitSeconds(seconds) {
      say(
        `The app is at ${url}. The demo user had too many failed sign-ins. Waiting ${seconds} s to sign in ...`,
      )
      return sleep(seconds * 1000)
    },
  })
  const phones = await startPhones({
    port: ports[6]!,
    appUrl: local,
    login: { email: DEMO_EMAIL, password: secrets.demoPassword },
    gateways: stack,
  })
  closers.unshift(() => phones.close())
  app.once('exit', (code) => void stop(code ?? 1))
  say(
    welcome({
      url,
      phonesUrl: phones.url,
      mailboxUrl: mailboxPage.url,
      databaseUrl,
      stack,
      secrets,
      demo,
      dataDir,
    }),
  )
}

/** Returns CORS_ORIGINS, whose pages can call the app and must reach the store too. */
function foreignOrigins(): string[] {
  return (process.env.CORS_ORIGINS ?? '')
    .split(',')
    .map((origin) => origin.trim())
    .filter(Boolean)
}

/** Starts PostgreSQL and returns its URL. Returns DATABASE_URL if the npm package does not support this machine. */
async function database(databasePort: number): Promise<string> {
  try {
    const postgres = await startPostgres({ dir: join(dataDir, 'postgres'), port: databasePort })
    closers.unshift(() => postgres.stop())
    return await postgres.createDatabase('pigeonhole')
  } catch (error) {
    const own = process.env.DATABASE_URL
    if (!(error instanceof PostgresPackageMissing) || !own) throw error
    say(`${error.message}.\nUsing DATABASE_URL instead.`)
    return own
  }
}

/** Runs a command of `src/cli` with the local environment. Shows its output only if it fails. */
async function command(file: string, args: string[], env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, 'src/cli', file), ...args], {
    cwd: ROOT,
    env: localEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${file} failed:\n${output}`)
}

function say(text: string): void {
  console.log(text)
}

let stopping = false
async function stop(code: number): Promise<void> {
  if (stopping) return
  stopping = true
  for (const close of closers) await close().catch((error: unknown) => console.error(error))
  process.exit(code)
}

process.on('SIGINT', () => void stop(0))
process.on('SIGTERM', () => void stop(0))
process.on('SIGHUP', () => void stop(0))

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  void stop(1)
})
