// Runs the client against the real server code: the upload app serves tRPC and the push endpoints on a port, and there
// are files to upload. No push gateway is configured.

import { hash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { open, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@pigeonhole/client'
import {
  createNodeUploader,
  fileSource,
  type Uploader,
  type UploaderOptions,
  type UploadHandle,
  type UploadSnapshot,
  type UploadSource,
} from '@pigeonhole/client/node'
import { listPushMessages } from '../../../src/server/api/http/push-messages.ts'
import { sendPush } from '../../../src/server/api/http/push-send.ts'
import { createPushToken } from '../../../src/server/api/http/push-tokens.ts'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import type { TestUser } from '../users.ts'
import { listen } from './listen.ts'
import { startUploadApp, type UploadApp } from './upload-app.ts'

export const MIB = 1024 * 1024
/** Short pauses between attempts, so that many retries take milliseconds. */
export const QUICK = { attempts: 6, baseMs: 20, maxMs: 200 }

export type ClientApp = UploadApp & {
  url: string
  /** Procedures called so far, in order, with one entry per call of a batch. */
  calls: string[]
  /**
   * Responds instead of the app while it is set. `path` is what follows /api/trpc/; for other paths, the whole path.
   */
  intercept: ((path: string) => Response | Promise<Response | undefined> | undefined) | undefined
  /** Procedures whose responses are lost: the app has executed the call, and the client gets a 502. */
  lose: ((path: string) => boolean) | undefined
  dir: string
  uploader(user: { token: string }, options?: Partial<UploaderOptions> & { stateDir?: string }): Uploader
  /** Starts like files of its extension's type, or like files of `like`. */
  file(name: string, size: number, like?: string): Promise<UploadSource & { path: string }>
}

export async function startClientApp(more: Record<string, string> = {}): Promise<ClientApp> {
  const app = await startUploadApp(more)
  const dir = mkdtempSync(join(tmpdir(), 'pigeonhole-client-'))
  const uploaders: Uploader[] = []
  const calls: string[] = []
  const state: Pick<ClientApp, 'intercept' | 'lose'> = { intercept: undefined, lose: undefined }
  const handlers: Record<string, typeof handleTrpc> = {
    '/api/push/token': createPushToken,
    '/api/push/send': sendPush,
    '/api/push/messages': listPushMessages,
  }
  const listener = await listen(async (request) => {
    const { pathname } = new URL(request.url)
    const path = pathname.replace('/api/trpc/', '')
    const handle = handlers[pathname] ?? handleTrpc
    calls.push(...path.split(','))
    const answer = (await state.intercept?.(path)) ?? (await handle(request, Promise.resolve(app.services)))
    return state.lose?.(path) ? new Response(null, { status: 502 }) : answer
  })
  const { url } = listener
  return Object.assign(state, app, {
    url,
    calls,
    dir,
    uploader: (user: { token: string }, options: Partial<UploaderOptions> & { stateDir?: string } = {}) => {
      const client = createClient({ baseUrl: url, token: () => user.token })
      const uploader = createNodeUploader(client, { scope: url, retry: QUICK, ...options })
      uploaders.push(uploader)
      return uploader
    },
    file: async (name: string, size: number, like = name.split('.').at(-1)) => {
      const path = join(dir, name)
      await writeRandom(path, size, HEADS[like ?? ''])
      return Object.assign(await fileSource(path), { path })
    },
    close: async () => {
      await Promise.all(uploaders.map((one) => one.close()))
      listener.close()
      await app.close()
      rmSync(dir, { recursive: true, force: true })
    },
  })
}

const FILM = Buffer.from('0000001866747970', 'hex')
const HEADS: Record<string, Buffer> = {
  mp4: FILM,
  mov: FILM,
  png: Buffer.from('89504e470d0a1a0a', 'hex'),
  jpg: Buffer.from('ffd8ffe000104a46', 'hex'),
}

/** Random bytes after a header that matches the type. */
export async function writeRandom(path: string, size: number, head: Buffer = FILM): Promise<void> {
  const piece = randomBytes(Math.min(size, MIB))
  head.copy(piece)
  await writeFile(path, '')
  const file = await open(path, 'w')
  for (let at = 0; at < size; at += piece.length) {
    // Each megabyte differs, so that a misplaced part is noticed.
    if (at > 0) piece.writeUInt32BE(at / MIB, 4)
    await file.write(piece, 0, Math.min(piece.length, size - at))
  }
  await file.close()
}

/** Returns the ETag that S3 gives these bytes: their MD5, or the MD5 of the parts' MD5s. */
export async function etagOf({ path }: { path: string }, partSize?: number): Promise<string> {
  const bytes = await readFile(path)
  if (partSize === undefined) return hash('md5', bytes)
  const md5s: Buffer[] = []
  for (let at = 0; at < bytes.length; at += partSize)
    md5s.push(hash('md5', bytes.subarray(at, at + partSize), 'buffer'))
  return `${hash('md5', Buffer.concat(md5s))}-${md5s.length}`
}

/** Resolves when a snapshot satisfies the condition. Rejects if the upload ends otherwise. */
export function reach(
  handle: UploadHandle,
  condition: (snapshot: UploadSnapshot) => boolean,
): Promise<UploadSnapshot> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const snapshot = handle.getSnapshot()
      if (condition(snapshot)) end(() => resolve(snapshot))
      else if (['done', 'failed', 'cancelled'].includes(snapshot.state))
        end(() => reject(new Error(`ended as ${JSON.stringify(snapshot)}`)))
    }
    const end = (settle: () => void): void => {
      unsubscribe()
      settle()
    }
    const unsubscribe = handle.subscribe(look)
    look()
  })
}

/** Numbers of the parts whose PUT succeeded, in order of arrival. */
export function partsPut(app: UploadApp, since = 0): number[] {
  return app.s3.requestLog
    .entries(since)
    .filter((entry) => entry.operation === 'UploadPart' && entry.status === 200 && !entry.aborted)
    .map((entry) => entry.partNumber!)
}

export type { TestUser }
