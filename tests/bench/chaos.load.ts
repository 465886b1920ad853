// Clients of three kinds that go on whatever happens, and remember what they were promised.

import { randomUUID } from 'node:crypto'
import type { TestUser } from '../support/users.ts'

export type Fault = { at: number; what: string; status: number | string }
export type Load = ReturnType<typeof createLoad>

const BYTES = Buffer.alloc(20_000, 7)
Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(BYTES)

export function createLoad(url: string, user: TestUser, pushToken: string) {
  const faults: Fault[] = []
  /** Acknowledged: files confirmed, pushes answered with 200, broadcasts accepted with 202. */
  const files: string[] = []
  const pushes: { id: string; key: string }[] = []
  const broadcasts: string[] = []
  const latencies: number[] = []
  let calls = 0
  let running = true

  async function call(what: string, path: string, headers: Record<string, string>, body: unknown) {
    const startedAt = performance.now()
    calls++
    try {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(60_000),
      })
      const text = await response.text()
      latencies.push(performance.now() - startedAt)
      if (response.ok) return JSON.parse(text)
      faults.push({ at: performance.now(), what, status: response.status })
    } catch (error) {
      faults.push({ at: performance.now(), what, status: String((error as Error).cause ?? error) })
    }
    return undefined
  }

  async function upload(): Promise<void> {
    const input = { filename: 'a.png', mimeType: 'image/png', size: BYTES.length }
    const begun = (await call('request', '/api/trpc/upload.requestUploadUrl', user.headers, input))?.result
      .data
    if (!begun) return
    const put = await fetch(begun.uploadUrl, { method: 'PUT', headers: begun.headers, body: BYTES }).catch(
      () => null,
    )
    if (!put?.ok) {
      faults.push({ at: performance.now(), what: 'PUT to the store', status: put?.status ?? 'refused' })
      return
    }
    const { fileId } = begun
    if (await call('confirm', '/api/trpc/upload.confirmUpload', user.headers, { fileId })) files.push(fileId)
  }

  const bearer = { authorization: `Bearer ${pushToken}` }

  async function push(): Promise<void> {
    const key = randomUUID()
    const body = { title: 'a', body: 'b', data: { key } }
    const answer = await call('send', '/api/push/send', { ...bearer, 'idempotency-key': key }, body)
    if (answer) pushes.push({ id: answer.id, key })
  }

  async function broadcast(): Promise<void> {
    const answer = await call('broadcast', '/api/push/send', bearer, { title: 'a', body: 'b', all: true })
    if (answer) broadcasts.push(answer.id)
    await pause(1_000)
  }

  async function loop(work: () => Promise<void>): Promise<void> {
    while (running) {
      const before = faults.length
      await work()
      // A client that was refused does not hammer.
      await pause(faults.length > before ? 100 : 5)
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
    faults,
    files,
    pushes,
    broadcasts,
    latencies,
    calls: () => calls,
    async stop(): Promise<void> {
      running = false
      await Promise.all(loops)
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
