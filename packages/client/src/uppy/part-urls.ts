import type { Client } from '../client.ts'
import { URLS_PER_CALL } from '../limits.ts'
import type { PresignedPut } from './types.ts'

type Waiting = { partNumber: number; resolve(put: PresignedPut): void; reject(error: unknown): void }

/** Presigns parts. Requests made in one tick share a call. */
export function createPartUrls(client: Client) {
  const waiting = new Map<string, Waiting[]>()

  return function partUrl(fileId: string, partNumber: number): Promise<PresignedPut> {
    return new Promise((resolve, reject) => {
      const list = waiting.get(fileId) ?? []
      list.push({ partNumber, resolve, reject })
      if (list.length === 1) queueMicrotask(() => flush(fileId))
      waiting.set(fileId, list)
      if (list.length === URLS_PER_CALL) flush(fileId)
    })
  }

  async function flush(fileId: string): Promise<void> {
    const batch = waiting.get(fileId)
    waiting.delete(fileId)
    if (!batch) return
    try {
      const partNumbers = [...new Set(batch.map((one) => one.partNumber))]
      const { parts } = await client.upload.getPartUrls.mutate({ fileId, partNumbers })
      for (const { partNumber, resolve, reject } of batch) {
        const part = parts.find((one) => one.partNumber === partNumber)
        if (part) resolve({ method: 'PUT', url: part.uploadUrl, headers: part.headers })
        else reject(new Error(`The server returned no URL for part ${partNumber}`))
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}
