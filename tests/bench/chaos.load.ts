// Three kinds of clients that continue through every fault and remember what the service acknowledged.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestUser } from '../support/users.ts'

/** `status` is that of the response, or the error that ended the call. Times are `performance.now()`. */
export type Call = { what: string; at: number; ms: number; failed: boolean; status: number | string }
export type Load = ReturnType<typeof createLoad>

const BYTES = Buffer.alloc(20_000, 7)
Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(BYTES)

export function createLoad(url: () => string, user: TestUser, pushToken: string) {
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

  async function call(what: string, path: string, headers: Record<string, string>, body: unknown) {
    const startedAt = performance.now()
    try {
      const response = await fetch(`${url()}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
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
    const created = (await call('request', '/api/trpc/upload.requestUploadUrl', user.headers, input))?.result
      .data
    if (!created) return
    // This is not a call to the service: a failure is the store's.
    const signal = AbortSignal.timeout(10_000)
    const init = { method: 'PUT', headers: created.headers, body: BYTES, signal }
    const put = await fetch(created.uploadUrl, init).catch(() => null)
    if (!put?.ok) return sleep(100)
    const { fileId } = created
    if (await call('confirm', '/api/trpc/upload.confirmUpload', user.headers, { fileId })) files.push(fileId)
  }

  const bearer = { authorization: `Bearer ${pushToken}` }

  async function push(): Promise<void> {
    const key = randomUUID()
    const body = { title: 'a', body: 'b', data: { key } }
    const answer = await call('send', '/api/push/send', { ...bearer, 'idempotency-key': key }, body)
    if (answer?.sent === 1) pushes.push({ id: answer.id, key })
  }

  async function broadcast(): Promise<void> {
    const answer = await call('broadcast', '/api/push/send', bearer, { title: 'a', body: 'b', all: true })
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
