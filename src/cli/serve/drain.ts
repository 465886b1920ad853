import type { Server } from 'node:http'
import { Server as Listener } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'

/** Orchestrators kill after 30 s. */
export const DRAIN_MS = 25_000
/** After SIGTERM requests are taken until none came for this long ... */
const QUIET_MS = 300
/** ... or that much time is over: balancers see the readiness, or the refused connection, by then. */
const LINGER_MS = 5_000
/** What an accepted connection then has for the request it was opened for. */
const GRACE_MS = 500

export type Traffic = {
  /** `performance.now()` of the last request that came. */
  lastAt: number
}

/** Ends the listening socket when traffic has gone elsewhere, then waits for every answer that is due. */
export async function drainServer(server: Server, traffic: Traffic, linger: boolean): Promise<void> {
  const begun = performance.now()
  if (linger)
    while (performance.now() - begun < LINGER_MS) {
      if (performance.now() - Math.max(begun, traffic.lastAt) > QUIET_MS) break
      await sleep(50)
    }
  await emptyBacklog()
  // The HTTP server's own close() also ends every connection that has not sent a byte yet.
  const closed = new Promise((resolve) => Listener.prototype.close.call(server, resolve))
  if (linger) await Promise.race([closed, sleep(GRACE_MS)])
  // Connections that were at work until now stay open once they are idle.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  await closed
  clearInterval(sweep)
}

/**
 * Waits for a turn of the event loop so short that hardly a connection can have come since the last accept: the
 * kernel resets what is still queued when the socket closes (with nginx in front one 502 in every other restart).
 */
async function emptyBacklog(): Promise<void> {
  for (let turns = 0; turns < 1_000; turns++) {
    const startedAt = performance.now()
    await turn()
    if (performance.now() - startedAt < 0.3) return
  }
}
