// The upload app without Next: an S3 emulator of its own, and calls through tRPC's handler.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type S3Emulator, type S3Options, startS3 } from '@pigeonhole/emulators/s3'
import type pg from 'pg'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import { createUser, type TestUser } from '../users.ts'
import { startTestApp, type TestApp } from './test-app.ts'
import { type Answer, callProcedure } from './trpc-call.ts'

export const BUCKET = 'holes'
const ACCESS_KEY = 'test-access-key'
const SECRET_KEY = 'test-secret-key-0123456789'

export type UploadApp = TestApp & {
  s3: S3Emulator
  user(options?: Parameters<typeof createUser>[1]): Promise<TestUser>
  /** Calls a procedure as this user; with `null`, signed out. */
  call(user: TestUser | null, procedure: string, input?: unknown): Promise<Answer>
  /** Like `call`, but throws on an error. */
  // biome-ignore lint/suspicious/noExplicitAny: what a JSON API returns, read by a test
  ok(user: TestUser, procedure: string, input?: unknown): Promise<any>
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

/** `more` can depend on the store's URL. */
export async function startUploadApp(
  more: Record<string, string> | ((storeUrl: string) => Record<string, string>) = {},
  store: Partial<S3Options> = {},
): Promise<UploadApp> {
  const dir = mkdtempSync(join(tmpdir(), 'pigeonhole-s3-'))
  const s3 = await startStore(dir, store)
  const app = await startTestApp({
    S3_ENDPOINT: s3.url,
    S3_FORCE_PATH_STYLE: 'true',
    S3_ACCESS_KEY_ID: ACCESS_KEY,
    S3_SECRET_ACCESS_KEY: SECRET_KEY,
    ...(typeof more === 'function' ? more(s3.url) : more),
  })
  const ready = Promise.resolve(app.services)
  const call: UploadApp['call'] = (user, procedure, input) =>
    callProcedure((request) => handleTrpc(request, ready), user, procedure, input)
  return {
    ...app,
    s3,
    user: (options) => createUser(app, options),
    call,
    async ok(user, procedure, input) {
      const answer = await call(user, procedure, input)
      if (answer.error) throw new Error(`${procedure}: ${answer.error.code} ${answer.error.message}`)
      return answer.data
    },
    async close() {
      await app.close()
      await s3.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Sends a PUT to a presigned URL, as a client does. */
export function put(url: string, body: Uint8Array, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'PUT', headers, body: new Uint8Array(body) })
}

/** Starts like a PNG and is padded to `size`. */
export function png(size: number, fill = 1): Buffer {
  const bytes = Buffer.alloc(size, fill)
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(bytes)
  return bytes
}

/** The bytes that the server reads of a lossy WebP with this size in bytes and pixels. */
export function webp(size: number, width = 160, height = width): Buffer {
  const bytes = Buffer.alloc(size, 1)
  bytes.write('RIFF....WEBPVP8 ', 'latin1')
  bytes.writeUInt32LE(size - 8, 4)
  bytes.writeUIntBE(0x9d012a, 23, 3)
  bytes.writeUInt16LE(width, 26)
  bytes.writeUInt16LE(height, 28)
  return bytes
}

/**
 * Returns the users whose counters differ from the sum over their files, read in one statement. Expected to be empty.
 */
export async function drift(db: pg.Pool): Promise<{ id: string }[]> {
  const { rows } = await db.query(
    `SELECT u.id FROM users u LEFT JOIN files f ON f.user_id = u.id GROUP BY u.id
     HAVING u.used_bytes <> coalesce(sum(f.used_bytes), 0)
       OR u.reserved_bytes <> coalesce(sum(f.reserved_bytes), 0)
       OR u.open_uploads <> count(f.id) FILTER (WHERE f.state IN ('PENDING', 'UPLOADING'))`,
  )
  return rows
}
