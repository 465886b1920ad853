import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Emulators, startEmulators } from '@pigeonhole/emulators'
import { startMailbox, startMailboxPage } from '@pigeonhole/emulators/mailbox'
import { startPhones } from '@pigeonhole/emulators/phones'
import { PostgresPackageMissing, startPostgres } from '@pigeonhole/emulators/postgres'
import { describeFileError } from '../file-error.ts'
import { commandFile, ROOT } from '../own-files.ts'
import { startApp, stopApp, untilReady } from './app.ts'
import { DEMO_EMAIL, type Demo, prepareDemo } from './demo.ts'
import { bypassProxy, localEnvironment } from './environment.ts'
import { freePorts, PortTaken, retryWithOtherPorts } from './ports.ts'
import { recordRunning } from './running.ts'
import { ensureSecrets, type Secrets } from './secrets.ts'

/** The app accepts sign-ups here, so other machines can reach it only if LISTEN_HOST says so. */
const LOOPBACK = '127.0.0.1'

/** Functions that end what was started, the latest first. */
export type Closers = (() => Promise<unknown>)[]

export type StackOptions = {
  /** Command that starts this stack, such as `npm run local`: the name of its push token. */
  command: string
  /** Returns a message if this process cannot listen on the port, otherwise null. */
  checkPort(): Promise<string | null>
  /** Port of the app. The services use the next nine free ports. */
  port: number
  /** Address of the app for browsers. */
  url: string
  dataDir: string
  /** Origins of other apps' pages, which can call the app and must reach the store too. */
  corsOrigins: string[]
  hotReload: boolean
  /** Variables of the app beyond those that this module sets. */
  env: Record<string, string>
  /** Called with the app's environment before the app starts. */
  prepare(env: NodeJS.ProcessEnv): Promise<unknown>
}

export type LocalStack = {
  /** The app's address for requests from this machine. */
  localUrl: string
  phonesUrl: string
  mailboxUrl: string
  databaseUrl: string
  emulators: Emulators
  secrets: Secrets
  demo: Demo
  /** The app's whole environment. */
  env: NodeJS.ProcessEnv
  /** Restarts the app. Its services keep running. */
  restartApp(): Promise<void>
  /** Resolves with the app's exit code if it ends by itself. */
  ended: Promise<number>
}

/** Starts the app and everything it needs on this machine. @throws Error that says what prevents it */
export async function startStack(options: StackOptions, closers: Closers): Promise<LocalStack> {
  const { port, url, dataDir } = options
  bypassProxy()
  const fault = await options.checkPort()
  if (fault) throw new PortTaken(fault)
  const secrets = await ensureSecrets(join(dataDir, 'secrets.json'))
  /** Starts services on the next free ports. */
  const onFreePorts = <T>(count: number, start: (ports: number[]) => Promise<T>): Promise<T> =>
    retryWithOtherPorts(async () => start(await freePorts(Math.max(port + 1, 1024), count)))

  say('Starting PostgreSQL, object store and push gateways ...')
  const database = await onFreePorts(1, ([port]) => startDatabase(dataDir, port!, closers))
  // PostgreSQL locks its folder, so of two runs that start at once, only one gets here.
  closers.push(await recordRunning(dataDir, { pid: process.pid, url, databasePort: database.port }))
  const corsOrigins = [
    ...new Set([url, `http://localhost:${port}`, `http://127.0.0.1:${port}`, ...options.corsOrigins]),
  ]
  const emulators = await onFreePorts(5, ([s3, apns, apnsSandbox, fcm, webPush]) =>
    startEmulators({
      dir: dataDir,
      s3: secrets.s3,
      corsOrigins,
      ports: { s3: s3!, apns: apns!, apnsSandbox: apnsSandbox!, fcm: fcm!, webPush: webPush! },
    }),
  )
  closers.unshift(() => emulators.close())
  const mailbox = await onFreePorts(1, ([port]) => startMailbox({ port: port! }))
  closers.unshift(() => mailbox.close())
  const mailboxPage = await onFreePorts(1, ([port]) => startMailboxPage(mailbox, port!))
  closers.unshift(() => mailboxPage.close())

  const env = localEnvironment({
    ALLOW_SIGNUP: 'true',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
    ...emulators.env,
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'Pigeonhole <pigeonhole@localhost.example>',
    DATABASE_URL: database.url,
    NEXTAUTH_URL: url,
    NEXTAUTH_SECRET: secrets.sessionSecret,
    PUSH_TOKEN_ADMIN_SECRET: secrets.adminSecret,
    PORT: String(port),
    LISTEN_HOST: process.env.LISTEN_HOST || LOOPBACK,
    ...options.env,
  })
  await runCommandFile('migrate', [], env)
  await options.prepare(env)

  say('Starting the app ...')
  const localUrl = `http://127.0.0.1:${port}`
  let app: ChildProcess
  const launch = async () => {
    app = startApp(env, { dev: options.hotReload })
    await untilReady(app, localUrl).catch(async (error) => {
      // The app has ended, because another process has taken its port since.
      const fault = app.exitCode === null ? null : await options.checkPort()
      throw fault ? new PortTaken(fault) : error
    })
  }
  closers.unshift(async () => app && stopApp(app))
  await launch()
  const demo = await prepareDemo(localUrl, secrets, {
    tokenName: options.command,
    saveUser(password) {
      const login = password === undefined ? [] : [`--password=${password}`]
      return runCommandFile('user-create', ['--email', DEMO_EMAIL, ...login, '--admin'], env)
    },
    waitSeconds(seconds) {
      say(
        `The app is at ${url}. The demo user had too many failed sign-ins. Waiting ${seconds} s to sign in ...`,
      )
      return sleep(seconds * 1000)
    },
  })
  const phones = await onFreePorts(1, ([port]) =>
    startPhones({
      port: port!,
      appUrl: localUrl,
      login: { email: DEMO_EMAIL, password: secrets.demoPassword },
      gateways: emulators,
    }),
  )
  closers.unshift(() => phones.close())

  let stopped = (_code: number): void => {}
  const ended = new Promise<number>((resolve) => {
    stopped = resolve
  })
  const watch = () => {
    const watched = app
    watched.once('exit', (code) => app === watched && stopped(code ?? 1))
  }
  watch()
  async function restartApp(): Promise<void> {
    app.removeAllListeners('exit')
    await stopApp(app)
    await launch()
    watch()
  }
  return {
    ...{ localUrl, phonesUrl: phones.url, mailboxUrl: mailboxPage.url, databaseUrl: database.url },
    ...{ emulators, secrets, demo, env, restartApp, ended },
  }
}

/**
 * Starts PostgreSQL and returns its URL and port. Returns DATABASE_URL and an unused port if the npm package does not
 * support this machine.
 */
async function startDatabase(
  dataDir: string,
  port: number,
  closers: Closers,
): Promise<{ url: string; port: number }> {
  try {
    const postgres = await startPostgres({ dir: join(dataDir, 'postgres'), port })
    closers.unshift(() => postgres.stop())
    return { url: await postgres.createDatabase('pigeonhole'), port }
  } catch (error) {
    const own = process.env.DATABASE_URL
    if (!(error instanceof PostgresPackageMissing) || !own) throw error
    say(`${error.message}.\nUsing DATABASE_URL instead.`)
    return { url: own, port }
  }
}

/** Runs a command of `src/cli`. Shows its output only if it fails. */
async function runCommandFile(name: string, args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [commandFile(name), ...args], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${name} failed:\n${output}`)
}

/**
 * Runs `start` until it fails, until a signal, or until the app ends, then ends everything that was started. Exits with 0
 * after a signal, otherwise with 1 or the app's exit code.
 */
export function runUntilSignal(start: (closers: Closers) => Promise<LocalStack | undefined>): void {
  const closers: Closers = []
  let stopping = false
  const stop = async (code: number) => {
    if (stopping) return
    stopping = true
    for (const close of closers) await close().catch((error: unknown) => console.error(error))
    process.exit(code)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(0))
  start(closers)
    .then(async (stack) => stack && stop(await stack.ended))
    .catch((error: unknown) => {
      if (!stopping)
        console.error(describeFileError(error) ?? (error instanceof Error ? error.message : error))
      void stop(1)
    })
}

export function say(text: string): void {
  console.log(text)
}
