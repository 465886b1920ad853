// Uploads without Next: the container on a database and an S3 emulator of its own, called over tRPC's handler.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type S3Emulator, type S3Options, startS3 } from '@pigeonhole/emulators/s3'
import pg from 'pg'
import { type Config, loadConfig } from '../../../src/server/config.ts'
import { build, type Services } from '../../../src/server/container.ts'
import type { ErrorData } from '../../../src/server/errors.ts'
import { handleTrpc } from '../../../src/server/trpc/handler.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { createUser, type TestUser } from '../users.ts'

export const BUCKET = 'holes'
const ACCESS_KEY = 'test-access-key'
const SECRET_KEY = 'test-secret-key-0123456789'

export type UploadApp = {
  services: Services
  config: Config
  env: Record<string, string>
  s3: S3Emulator
  db: pg.Pool
  user(options?: Parameters<typeof createUser>[1]): Promise<TestUser>
  /** Calls a procedure in the user's name; `null`: nobody's. */
  call(user: TestUser | null, procedure: string, input?: unknown): Promise<Answer>
  /** As `call`, but throws unless it went well. */
  // biome-ignore lint/suspicious/noExplicitAny: what a JSON API answers, read by a test
  ok(user: TestUser, procedure: string, input?: unknown): Promise<any>
  close(): Promise<void>
}

export type Answer = {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: what a JSON API answers, read by a test
  data: any
  error?: { message: string } & ErrorFields
}

type ErrorFields = {
  code: string
  fieldErrors?: Record<string, string[]>
  requestId?: string
} & ErrorData

const QUERIES = [
  'devices.list',
  'preferences.get',
  'upload.status',
  'files.list',
  'files.downloadUrl',
  'account.usage',
]

/** The environment of an app on these emulators. */
export function environment(databaseUrl: string, s3Url: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    NEXTAUTH_URL: 'http://app.test',
    NEXTAUTH_SECRET: 'a-secret-that-is-long-enough-for-tests',
    PUSH_TOKEN_ADMIN_SECRET: 'an-admin-secret-that-is-long-enough-for-tests',
    S3_BUCKET: BUCKET,
    S3_REGION: 'us-east-1',
    S3_ENDPOINT: s3Url,
    S3_FORCE_PATH_STYLE: 'true',
    S3_ACCESS_KEY_ID: ACCESS_KEY,
    S3_SECRET_ACCESS_KEY: SECRET_KEY,
    LOG_LEVEL: 'silent',
  }
}

export async function startStore(dir: string, more: Partial<S3Options> = {}): Promise<S3Emulator> {
  return startS3({
    dir,
    region: 'us-east-1',
    accessKeyId: ACCESS_KEY,
    secretAccessKey: SECRET_KEY,
    buckets: [BUCKET],
    ...more,
  })
}

export async function startUploadApp(more: Record<string, string> = {}): Promise<UploadApp> {
  const dir = mkdtempSync(join(tmpdir(), 'pigeonhole-s3-'))
  const database: TestDatabase = await createTestDatabase()
  const s3 = await startStore(dir)
  const env = { ...environment(database.url, s3.url), ...more }
  const config = loadConfig(env)
  const services = await build(config)
  const db = new pg.Pool({ connectionString: database.url, max: 5 })

  const call: UploadApp['call'] = (user, procedure, input) =>
    callProcedure((request) => handleTrpc(request, Promise.resolve(services)), user, procedure, input)
  return {
    services,
    config,
    env,
    s3,
    db,
    user: (options) => createUser({ config }, options),
    call,
    async ok(user, procedure, input) {
      const answer = await call(user, procedure, input)
      if (answer.error) throw new Error(`${procedure}: ${answer.error.code} ${answer.error.message}`)
      return answer.data
    },
    async close() {
      await db.end()
      await services.close()
      await s3.close()
      rmSync(dir, { recursive: true, force: true })
      await database.drop()
    },
  }
}

/** One tRPC call over whatever answers requests. */
export async function callProcedure(
  send: (request: Request) => Promise<Response>,
  user: Pick<TestUser, 'headers'> | null,
  procedure: string,
  input?: unknown,
  base = 'http://app.test',
): Promise<Answer> {
  const query = QUERIES.includes(procedure)
  const url = new URL(`/api/trpc/${procedure}`, base)
  if (query && input !== undefined) url.searchParams.set('input', JSON.stringify(input))
  const response = await send(
    new Request(url, {
      method: query ? 'GET' : 'POST',
      headers: { ...user?.headers, 'content-type': 'application/json' },
      ...(!query && { body: JSON.stringify(input ?? {}) }),
    }),
  )
  const body = (await response.json()) as {
    result?: { data: unknown }
    error?: {
      message: string
      data: ErrorFields
    }
  }
  return {
    status: response.status,
    data: body.result?.data,
    ...(body.error && { error: { message: body.error.message, ...body.error.data } }),
  }
}

/** A PUT to a presigned URL, as a client makes it. */
export function put(url: string, body: Uint8Array, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'PUT', headers, body: new Uint8Array(body) })
}

/** The first bytes of a PNG, filled up to `size`. */
export function png(size: number, fill = 1): Buffer {
  const bytes = Buffer.alloc(size, fill)
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(bytes)
  return bytes
}

/** The law of the quota, read in one statement: what users are charged is the sum over their files. */
export async function drift(db: pg.Pool): Promise<{ id: string }[]> {
  const { rows } = await db.query(
    `SELECT u.id FROM users u LEFT JOIN files f ON f.user_id = u.id GROUP BY u.id
     HAVING u.used_bytes <> coalesce(sum(f.used_bytes), 0)
       OR u.reserved_bytes <> coalesce(sum(f.reserved_bytes), 0)`,
  )
  return rows
}

/** Waits for a condition; fails with its name when it does not come true. */
export async function until(
  what: string,
  condition: () => Promise<boolean>,
  timeoutMs = 15_000,
  everyMs = 20,
): Promise<void> {
  const end = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`did not come true within ${timeoutMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
