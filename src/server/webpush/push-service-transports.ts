import { createTransport, type Transport, type TransportOptions } from '../gateway/transport.ts'

/** More origins than this are kept only while they have pushes in flight: Microsoft alone has dozens. */
const MAX_TRANSPORTS = 64
/** Google's and Mozilla's front ends allow 100 streams on a connection: 2,000 in flight need 20. */
const CONNECTIONS = 20

type Entry = { transport: Transport; pending: number }

/** A transport to each push service (origin), so that one that hangs or throttles holds up no other. */
export function createPushServiceTransports(options: Omit<TransportOptions, 'origin' | 'connections'>) {
  /** Least recently used first. */
  const entries = new Map<string, Entry>()

  function entryFor(origin: string): Entry | undefined {
    const known = entries.get(origin)
    if (known) {
      entries.delete(origin)
      entries.set(origin, known)
      return known
    }
    if (entries.size >= MAX_TRANSPORTS && !closeIdle()) return undefined
    const entry = { transport: createTransport({ ...options, origin, connections: CONNECTIONS }), pending: 0 }
    entries.set(origin, entry)
    return entry
  }

  /** Closes the transport that has been idle longest; false: all are at work. */
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
    /** As `Transport.send`; undefined: too many push services are at work, try later. */
    send(origin: string, ...[flow, makeRequest]: Parameters<Transport['send']>) {
      const entry = entryFor(origin)
      if (!entry) return undefined
      entry.pending++
      return entry.transport.send(flow, makeRequest).finally(() => {
        entry.pending--
      })
    },

    async close(drainMs: number): Promise<void> {
      await Promise.all([...entries.values()].map(({ transport }) => transport.close(drainMs)))
    },
  }
}
