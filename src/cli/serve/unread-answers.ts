import type { ServerResponse } from 'node:http'

/** Of one address, before it gets no more: its clients read slowly, or not at all. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024
/** A connection on which nothing is read for so long is closed. */
const UNREAD_MS = 60_000

/** Answers that wait in memory for clients that do not read them, by address. */
export function createUnreadAnswers() {
  const unread = new Map<string, Set<ServerResponse>>()

  return {
    isFull(address: string): boolean {
      let bytes = 0
      for (const response of unread.get(address) ?? []) bytes += response.writableLength
      return bytes > MAX_UNREAD_BYTES
    },

    /** After the response's end. */
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
