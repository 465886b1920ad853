// The built server, as a client sees it: a process reached over HTTP, with all emulators on loopback and a database of
// its own. This module knows nothing about the app's code.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Emulators, startEmulators } from '@pigeonhole/emulators'
import { inject } from 'vitest'
import { buildIfNeeded, ROOT } from '../../../src/cli/build-if-needed.ts'
import { type Answer, callProcedure } from '../app/trpc-call.ts'
import { createTestDatabase } from '../database.ts'
import { createUser, type TestUser } from '../users.ts'
import { childEnv } from './child-env.ts'

export const ADMIN_SECRET = 'an-admin-secret-that-is-long-enough-for-tests'
const SESSION_SECRET = 'a-session-secret-that-is-long-enough-for-tests'

const START = join(ROOT, 'src/cli/start.ts')
const START_CHEAP = join(import.meta.dirname, 'cheap-server.child.ts')

export type BuiltServer = {
  url: string
  stack: Emulators
  env: Record<string, string>
  databaseUrl: string
  /** Lines of the process's log. */
  log: string[]
  user(options?: Parameters<typeof createUser>[1]): Promise<TestUser>
  call(user: Pick<TestUser, 'headers'> | null, procedure: string, input?: unknown): Promise<Answer>
  /** Like `call`, but throws on an error. */
  // biome-ignore lint/suspicious/noExplicitAny: what a JSON API returns, read by a test
  ok(user: Pick<TestUser, 'headers'>, procedure: string, input?: unknown): Promise<any>
  /** Sends JSON to an endpoint with a bearer token; a string `body` is sent unchanged. */
  post(
    path: string,
    bearer: string | null,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<JsonAnswer>
  get(path: string, bearer: string | null): Promise<JsonAnswer>
  /** Sends a signal to the process. */
  signal(signal: NodeJS.Signals): void
  /** Ends the process with a signal and waits for its exit. */
  end(signal?: NodeJS.Signals): Promise<number | null>
  /** Starts the process, on another port each time. */
  start(): Promise<void>
  close(): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: what a JSON API returns, read by a test
export type JsonAnswer = { status: number; headers: Headers; body: any; text: string }

type Options = {
  /** Hashes passwords as cheaply as possible, for tests that sign in with forms. */
  cheapPasswords?: boolean
}

export async function startBuiltServer(
  more: Record<string, string> = {},
  options: Options = {},
): Promise<BuiltServer> {
  const server = await prepareBuiltServer(more, options)
  try {
    await server.start()
  } catch (error) {
    await server.close()
    throw error
  }
  return server
}

/** Everything that the server needs, without the process, so that `env` can still be changed. */
export async function prepareBuiltServer(
  more: Record<string, string> = {},
  { cheapPasswords = false }: Options = {},
): Promise<BuiltServer> {
  await buildIfNeeded()
  const dir = mkdtempSync(join(inject('runFolder'), 'server-'))
  const database = await createTestDatabase()
  const stack = await startEmulators({
    dir,
    s3: { accessKeyId: 'test-access-key', secretAccessKey: 'test-secret-key-0123456789' },
    corsOrigins: ['*'],
  })
  const env = {
    ...stack.env,
    DATABASE_URL: database.url,
    NEXTAUTH_URL: 'http://app.test',
    NEXTAUTH_SECRET: SESSION_SECRET,
    PUSH_TOKEN_ADMIN_SECRET: ADMIN_SECRET,
    PORT: '0',
    ...more,
  }
  const log: string[] = []
  let running: { child: ChildProcess; url: string } | undefined

  async function end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const child = running?.child
    running = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const code = new Promise<number | null>((resolve) => child.once('exit', resolve))
    child.kill(signal)
    return code
  }

  const server: BuiltServer = {
    get url() {
      if (!running) throw new Error('the server does not run')
      return running.url
    },
    stack,
    env,
    databaseUrl: database.url,
    log,
    user: (options) =>
      createUser({ config: { databaseUrl: database.url, sessionSecret: SESSION_SECRET } }, options),
    call: (user, procedure, input) => callProcedure(fetch, user, procedure, input, server.url),
    async ok(user, procedure, input) {
      const answer = await server.call(user, procedure, input)
      if (answer.error) throw new Error(`${procedure}: ${answer.error.code} ${answer.error.message}`)
      return answer.data
    },
    post: (path, bearer, body, headers) =>
      json(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...authorization(bearer), ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: (path, bearer) => json(`${server.url}${path}`, { headers: authorization(bearer) }),
    signal: (signal) => running?.child.kill(signal),
    end,
    async start() {
      running = await launch(env, log, cheapPasswords ? START_CHEAP : START)
    },
    async close() {
      await end()
      await stack.close()
      rmSync(dir, { recursive: true, force: true })
      await database.drop()
    },
  }
  return server
}

/** Starts the server process. Resolves when it listens. */
export async function launch(
  env: Record<string, string>,
  log: string[],
  program = START,
): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [program], {
    cwd: ROOT,
    env: childEnv({ PIGEONHOLE_ENV_FILE: '', ...env }),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const port = new Promise<number>((resolve, reject) => {
    for (const stream of [child.stdout!, child.stderr!])
      createInterface(stream).on('line', (line) => {
        log.push(line)
        const match = /"port":(\d+),"msg":"listening"/.exec(line)
        if (match) resolve(Number(match[1]))
      })
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${log.join('\n')}`)))
  })
  return { child, url: `http://127.0.0.1:${await port}` }
}

function authorization(bearer: string | null): Record<string, string> {
  return bearer === null ? {} : { authorization: `Bearer ${bearer}` }
}

async function json(url: string, init: RequestInit): Promise<JsonAnswer> {
  const response = await fetch(url, init)
  const text = await response.text()
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  return { status: response.status, headers: response.headers, body, text }
}
