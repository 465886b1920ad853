// Three kinds of clients that continue through every fault and remember what the service acknowledged.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** `status` is that of the response, or the error that ended the call. Times are `performance.now()`. */
export type Call = { what: string; at: number; ms: number; failed: boolean; status: number | string }
export type Load = ReturnType<typeof createLoad>
/** The replica that gets the next call, and a session that it accepts. */
export type Server = { url: string; headers: Record<string, string> }

/** Time for unfinished broadcasts to complete at the end. */
const BROADCAST_MS = 60_000
const BYTES = Buffer.alloc(20_000, 7)
Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(BYTES)

export function createLoad(server: () => Server, pushToken: string) {
  const calls: Call[] = []
  /** Acknowledged results: confirmed files, pushes reported as sent, broadcasts accepted with 202. */
  const files: string[] = []
  const pushes: { id: string; key: string }[] = []
  const broadcasts: string[] = []
  let failures = 0
  let running = true
  let working = 0
  /** Set while no call can begin. */
  let resumed: PromiseWithResolvers<void> | undefined

  function end(what: string, at: number, status: number | string, failed: boolean): void {
    calls.push({ what, at, ms: performance.now() - at, failed, status })
    if (failed) failures++
  }

  /** `headers`: authentication other than by the session. */
  async function call(what: string, path: string, body: unknown, headers?: Record<string, string>) {
    const startedAt = performance.now()
    const { url, headers: session } = server()
    try {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(headers ?? session) },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(60_000),
      })
      const text = await response.text()
      const answer = response.ok ? JSON.parse(text) : undefined
      // The response is 200 even if the gateway did not accept the push.
      end(what, startedAt, response.status, !response.ok || answer.failed > 0)
      return answer
    } catch (error) {
      end(what, startedAt, String((error as Error).cause ?? error), true)
    }
    return undefined
  }

  async function upload(): Promise<void> {
    const input = { filename: 'a.png', mimeType: 'image/png', size: BYTES.length }
    const created = (await call('request', '/api/trpc/upload.requestUploadUrl', input))?.result.data
    if (!created) return
    // This is not a call to the service: a failure is the store's.
    const signal = AbortSignal.timeout(10_000)
    const init = { method: 'PUT', headers: created.headers, body: BYTES, signal }
    const put = await fetch(created.uploadUrl, init).catch(() => null)
    if (!put?.ok) return sleep(100)
    const { fileId } = created
    if (await call('confirm', '/api/trpc/upload.confirmUpload', { fileId })) files.push(fileId)
  }

  const bearer = { authorization: `Bearer ${pushToken}` }

  async function push(): Promise<void> {
    const key = randomUUID()
    const body = { title: 'a', body: 'b', data: { key } }
    const answer = await call('send', '/api/push/send', body, { ...bearer, 'idempotency-key': key })
    if (answer?.sent > 0) pushes.push({ id: answer.id, key })
  }

  async function broadcast(): Promise<void> {
    const answer = await call('broadcast', '/api/push/send', { title: 'a', body: 'b', all: true }, bearer)
    if (answer) broadcasts.push(answer.id)
    await sleep(1_000)
  }

  async function loop(work: () => Promise<void>): Promise<void> {
    for (;;) {
      await resumed?.promise
      if (!running) return
      const before = failures
      working++
      await work()
      working--
      // After a rejection, clients wait longer.
      await sleep(failures > before ? 100 : 5)
    }
  }

  const loops = [
    loop(upload),
    loop(upload),
    loop(upload),
    loop(push),
    loop(push),
    loop(push),
    loop(broadcast),
  ]
  return {
    server,
    pushToken,
    calls,
    files,
    pushes,
    broadcasts,
    /** Begins no more calls and returns when all have ended. Failures until then belong to this fault. */
    async pause(): Promise<void> {
      resumed = Promise.withResolvers()
      while (working > 0) await sleep(5)
    },
    resume(): void {
      resumed?.resolve()
      resumed = undefined
    },
    async stop(): Promise<void> {
      running = false
      this.resume()
      await Promise.all(loops)
    },
  }
}

/** Returns the acknowledged files and broadcasts that are lost, and users whose quota differs from their files. */
export async function findLost(
  { server, pushToken, files, broadcasts }: Load,
  { db, devices }: { db: pg.Pool; devices: number },
): Promise<string[]> {
  const lost: string[] = []
  for (const fileId of files) {
    const input = encodeURIComponent(JSON.stringify({ fileId }))
    const { url, headers } = server()
    const answer = await (await fetch(`${url}/api/trpc/files.downloadUrl?input=${input}`, { headers })).json()
    const download = answer.result?.data.url
    const bytes = download && (await (await fetch(download)).arrayBuffer()).byteLength
    if (bytes !== BYTES.length) lost.push(`file ${fileId}`)
  }
  const deadline = performance.now() + BROADCAST_MS
  for (const id of broadcasts)
    for (;;) {
      const response = await fetch(`${server().url}/api/push/messages/${id}`, {
        headers: { authorization: `Bearer ${pushToken}` },
      })
      const message = (await response.json()) as { status: string; sent: number }
      if (message.status === 'completed' && message.sent === devices) break
      if (message.status === 'completed' || performance.now() > deadline) {
        lost.push(`broadcast ${id}: ${JSON.stringify(message)}`)
        break
      }
      await sleep(200)
    }
  const { rows } = await db.query(
    `SELECT u.id FROM users u LEFT JOIN files f ON f.user_id = u.id GROUP BY u.id
     HAVING u.used_bytes <> coalesce(sum(f.used_bytes), 0) OR u.reserved_bytes <> coalesce(sum(f.reserved_bytes), 0)`,
  )
  for (const { id } of rows) lost.push(`quota of ${id}`)
  return lost
}
