import type { ServerResponse } from 'node:http'

/** Maximum unread response bytes per address. Beyond it, requests get 429. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024
/** Time after which a connection is closed if the client reads nothing. */
const UNREAD_MS = 60_000

/** Counts responses that wait in memory for slow clients, by address. */
export function createUnreadResponses() {
  const unread = new Map<string, Set<ServerResponse>>()

  return {
    isFull(address: string): boolean {
      let bytes = 0
      for (const response of unread.get(address) ?? []) bytes += response.writableLength
      return bytes > MAX_UNREAD_BYTES
    },

    /** Call it after the response has ended. */
    add(address: string, response: ServerResponse): void {
      if (response.writableLength === 0 || response.destroyed) return
      const responses = unread.get(address) ?? new Set()
      unread.set(address, responses.add(response))
      response.setTimeout(UNREAD_MS, () => response.destroy())
      response.once('close', () => {
        responses.delete(response)
        if (responses.size === 0) unread.delete(address)
      })
    },
  }
}
