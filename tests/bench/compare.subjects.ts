// Measurements of `npm run bench -- compare`. They use only what all versions share: HTTP, commands and tables.

import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { growTo } from './broadcast.environment.ts'
import { send, startGateways } from './dispatch.ts'
import { type App, type Environment, startEnvironment } from './environment.ts'
import { type Call, cpuSeconds, load } from './load.ts'
import { addDevices, createPushToken } from './seed.ts'

const GATEWAY_MS = 50
const SECONDS = 2
const CONNECTIONS = 16
const PARTS = 100
const PART_BYTES = 5 * 2 ** 20
const DEVICES = 20_000
const PUSHES = 20_000
const UPLOAD_BYTES = 64 * 2 ** 20
const PASSWORD = 'a-password-that-is-long-enough'

/** A running version. */
export type Version = { root: string; environment: Environment; app: App; users: User[] }
type User = { id: string; email: string; headers: { authorization: string }; token: string }

export type Measured = { perSecond: number; cpuMicros: number }
/** Returns a measurement for each subject. */
export type Group = (
  version: Version,
  closing: AsyncDisposableStack,
) => Promise<Record<string, () => Promise<Measured>>>

export async function startVersion(closing: AsyncDisposableStack, root: string): Promise<Version> {
  const environment = await startEnvironment({
    root,
    gatewayLatencyMs: GATEWAY_MS,
    env: { PUSH_SEND_RATE_PER_MINUTE: String(10 ** 9) },
  })
  closing.defer(environment.close)
  const app = await environment.app()
  return { root, environment, app, users: await createUsers(root, environment, app) }
}

/** Creates one user with the version's command, copies it, and signs in. */
async function createUsers(root: string, { db, env, dir }: Environment, app: App): Promise<User[]> {
  await promisify(execFile)(
    process.execPath,
    [
      'src/cli/user-create.ts',
      '--email',
      'caller-0@example.com',
      '--password',
      PASSWORD,
      '--quota',
      String(10 ** 14),
    ],
    { cwd: root, env: { ...env, HOME: dir } as unknown as NodeJS.ProcessEnv },
  )
  await db.query(
    `INSERT INTO users (id, email, password_hash, quota_bytes)
     SELECT gen_random_uuid(), 'caller-' || n || '@example.com', password_hash, quota_bytes
     FROM users, generate_series(1, $1::int - 1) n`,
    [CONNECTIONS],
  )
  const users: User[] = []
  for (let n = 0; n < CONNECTIONS; n++) {
    const email = `caller-${n}@example.com`
    const token = await signIn(app, email)
    const { rows } = await db.query<{ id: string }>('SELECT id FROM users WHERE email = $1', [email])
    users.push({ id: rows[0]!.id, email, token, headers: { authorization: `Bearer ${token}` } })
  }
  return users
}

/** Returns a session token of one of the users. */
export async function signIn(app: App, email: string): Promise<string> {
  return (await call<{ token: string }>(app, 'session.create', { email, password: PASSWORD })).token
}

export const GROUPS = { presign, entry, send: sends, dispatch, broadcast, start, upload } satisfies Record<
  string,
  Group
>

async function presign({ app, users }: Version) {
  const photo = { filename: 'photo.png', mimeType: 'image/png', size: 2 ** 20 }
  const film = { filename: 'film.mp4', mimeType: 'video/mp4', size: PARTS * PART_BYTES, totalParts: PARTS }
  const partNumbers = Array.from({ length: PARTS }, (_, i) => i + 1)
  const uploads = await Promise.all(
    users.map(async (user) => {
      const { fileId } = await call<{ fileId: string }>(app, 'upload.initiateMultipart', film, user)
      return procedure('upload.getPartUrls', { fileId, partNumbers }, user)
    }),
  )
  return {
    'upload.requestUploadUrl': rate(
      app,
      users.map((user) => procedure('upload.requestUploadUrl', photo, user)),
    ),
    [`upload.getPartUrls (${PARTS})`]: rate(app, uploads),
  }
}

async function entry({ app, users }: Version) {
  const get = (path: string) => users.map(({ headers }): Call => ({ method: 'GET', path, headers }))
  return {
    'a handler that does nothing': rate(app, get('/api/health/live')),
    'account.usage': rate(app, get('/api/trpc/account.usage')),
  }
}

async function sends({ app, environment: { db }, users }: Version) {
  const userIds = users.map(({ id }) => id)
  await addDevices(db, userIds)
  const tokens = await Promise.all(userIds.map((id) => createPushToken(db, id)))
  const to = (token: string, userId: string): Call => ({
    method: 'POST',
    path: '/api/push/send',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Hello', body: 'A pigeon has come', userId }),
  })
  return {
    'one token, 16 connections': rate(app, [to(tokens[0]!, userIds[0]!)]),
    '16 tokens, 128 connections': rate(
      app,
      tokens.map((token, n) => to(token, userIds[n]!)),
      128,
    ),
  }
}

async function dispatch({ root }: Version, closing: AsyncDisposableStack) {
  const gateways = await startGateways(closing)
  return {
    'gateway clients alone': async (): Promise<Measured> => {
      const { perSecond, cpuMicrosPerCall } = await send('pigeonhole', { count: PUSHES }, gateways, root)
      return { perSecond, cpuMicros: cpuMicrosPerCall }
    },
  }
}

async function broadcast({ app, environment: { db }, users }: Version) {
  await growTo(db, DEVICES)
  const headers = {
    authorization: `Bearer ${await createPushToken(db, users[0]!.id)}`,
    'content-type': 'application/json',
  }
  const json = async (path: string, init: RequestInit) => {
    const response = await fetch(app.url + path, { ...init, headers })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { id: string; status: string; sent: number }
  }
  return {
    [`${DEVICES} devices`]: () =>
      timed(app, async () => {
        const body = JSON.stringify({ title: 'Hello', body: 'A pigeon has come', all: true })
        const { id } = await json('/api/push/send', { method: 'POST', body })
        for (;;) {
          const { status, sent } = await json(`/api/push/messages/${id}`, {})
          if (status === 'completed') return sent
          await sleep(20)
        }
      }),
  }
}

async function start({ environment }: Version) {
  return {
    'node to ready': async (): Promise<Measured> => {
      const startedAt = performance.now()
      const app = await environment.app()
      while ((await fetch(`${app.url}/api/health/ready`)).status !== 200) await sleep(5)
      const seconds = (performance.now() - startedAt) / 1000
      const cpu = cpuSeconds([app.pid])
      await app.stop()
      return { perSecond: 1 / seconds, cpuMicros: cpu * 1e6 }
    },
  }
}

async function upload({ root, app, environment: { dir, env }, users }: Version) {
  const file = join(dir, 'film.mp4')
  const mp4 = Buffer.from('0000001c66747970697336640000020069736f6d69736f326d703431', 'hex')
  await writeFile(file, Buffer.concat([mp4, randomBytes(UPLOAD_BYTES - mp4.length)]))
  let n = 0
  return {
    [`${UPLOAD_BYTES / 2 ** 20} MB by the command, MB`]: () =>
      timed(app, async () => {
        // A separate home, so that no run finds the state of another.
        const home = join(dir, `home-${n++}`)
        await mkdir(home)
        const more = { HOME: home, PIGEONHOLE_URL: app.url, PIGEONHOLE_TOKEN: users[0]!.token }
        const child = spawn(process.execPath, ['src/cli/upload.ts', file], {
          cwd: root,
          env: { ...env, ...more } as unknown as NodeJS.ProcessEnv,
          stdio: ['ignore', 'ignore', 'inherit'],
        })
        const [code] = (await once(child, 'exit')) as [number]
        if (code !== 0) throw new Error(`the upload ended with ${code}`)
        return UPLOAD_BYTES / 2 ** 20
      }),
  }
}

/** Measures `work`, which returns how much it did. */
async function timed(app: App, work: () => Promise<number>): Promise<Measured> {
  const cpu = cpuSeconds([app.pid])
  const startedAt = performance.now()
  const amount = await work()
  const seconds = (performance.now() - startedAt) / 1000
  return { perSecond: amount / seconds, cpuMicros: ((cpuSeconds([app.pid]) - cpu) * 1e6) / amount }
}

function rate(app: App, calls: Call[], connections = CONNECTIONS) {
  return async (): Promise<Measured> => {
    const input = { origin: app.url, serverPid: app.pid, calls, connections }
    const { perSecond, cpuMicrosPerCall } = await load({ ...input, seconds: SECONDS, warmUpSeconds: 1 })
    return { perSecond, cpuMicros: cpuMicrosPerCall }
  }
}

function procedure(name: string, input: object, user?: User): Call {
  return {
    method: 'POST',
    path: `/api/trpc/${name}`,
    headers: { ...user?.headers, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  }
}

async function call<T>(app: App, name: string, input: object, user?: User): Promise<T> {
  const { path, ...init } = procedure(name, input, user)
  const response = await fetch(app.url + path, init)
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { result: { data: T } }).result.data
}
