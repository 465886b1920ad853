import type { Push } from '../http2/connection-pool.ts'
import type { Reply } from '../http2/reply.ts'
import { createTransport, type Transport, type TransportOptions } from '../http2/transport.ts'

/** Maximum origins with a transport. Microsoft alone has dozens. */
const MAX_TRANSPORTS = 64
/** Google's and Mozilla's servers allow 100 streams per connection, so 2,000 requests in flight need 20. */
const CONNECTIONS = 20

type Entry = { transport: Transport; pending: number }

/** One transport per push service (origin), so that one that hangs or throttles does not delay the others. */
export function createPushServiceTransports(options: Omit<TransportOptions, 'origin' | 'connections'>) {
  /** Least recently used first. */
  const entries = new Map<string, Entry>()

  function entryFor(origin: string): Entry | undefined {
    const known = entries.get(origin)
    if (!known && entries.size >= MAX_TRANSPORTS && !closeIdle()) return undefined
    const entry = known ?? {
      transport: createTransport({ ...options, origin, connections: CONNECTIONS }),
      pending: 0,
    }
    // Deleting and setting an entry moves it to the end.
    entries.delete(origin)
    entries.set(origin, entry)
    return entry
  }

  /** Closes the transport that has been idle longest, or returns false if all are busy. */
  function closeIdle(): boolean {
    for (const [origin, { transport, pending }] of entries) {
      if (pending > 0) continue
      entries.delete(origin)
      void transport.close(0)
      return true
    }
    return false
  }

  return {
    /** Sends as `Transport.send`. Resolves with undefined if too many push services are busy. */
    send(origin: string, { flow, makeRequest }: Pick<Push, 'flow' | 'makeRequest'>) {
      const entry = entryFor(origin)
      if (!entry) return undefined
      entry.pending++
      return new Promise<Reply>((resolve) => {
        const settle = (reply: Reply) => {
          entry.pending--
          resolve(reply)
        }
        entry.transport.send({ flow, refusals: 0, makeRequest, settle })
      })
    },

    async close(drainMs: number): Promise<void> {
      await Promise.all([...entries.values()].map(({ transport }) => transport.close(drainMs)))
    },
  }
}
