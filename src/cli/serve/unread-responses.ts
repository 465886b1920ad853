import type { ServerResponse } from 'node:http'
import { AppError } from '../../server/kernel/errors.ts'

/** Maximum unread response bytes per address. Beyond it, requests get 429. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024
/** Maximum number of responses per address that its clients have yet to read. Each can hold a file and a buffer. */
const MAX_UNREAD_RESPONSES = 500
/** Time after which a connection is closed if the client reads nothing. */
const UNREAD_MS = 60_000

/** Counts responses that wait in memory for slow clients, by address. */
export function createUnreadResponses(unreadMs = UNREAD_MS) {
  const unread = new Map<string, Set<ServerResponse>>()

  return {
    isFull(address: string): boolean {
      const responses = unread.get(address)
      if (!responses) return false
      let bytes = 0
      let count = 0
      for (const response of responses) {
        bytes += response.writableLength
        if (++count >= MAX_UNREAD_RESPONSES) return true
      }
      return bytes > MAX_UNREAD_BYTES
    },

    /** Counts a response, and ends its connection if the client reads nothing. A response that was read costs nothing. */
    add(address: string, response: ServerResponse): void {
      if (response.closed || response.destroyed || (response.writableEnded && response.writableLength === 0))
        return
      const responses = unread.get(address) ?? new Set()
      unread.set(address, responses.add(response))
      response.setTimeout(unreadMs, () => response.destroy())
      response.once('close', () => {
        responses.delete(response)
        if (responses.size === 0) unread.delete(address)
      })
    },
  }
}

/** Unread responses of this process. */
export const unread = createUnreadResponses()

export function unreadRejection(): AppError {
  const message = 'Your address has too many unread responses. Read them, then retry.'
  return new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: 1 })
}
