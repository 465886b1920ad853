import type { Server } from 'node:http'
import { Server as Listener } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'

/** Below the 30 s after which orchestrators kill the process. */
export const DRAIN_MS = 25_000
/** After SIGTERM the server accepts requests until none has come for this long ... */
const QUIET_MS = 300
/** ... or this much time has passed: by then load balancers have seen the readiness, or the refused connection. */
const LINGER_MS = 5_000
/** How long a connection that was accepted last may then take to send its request. */
const GRACE_MS = 500
/** Requests that have no response by then are cut off: whatever they wait for does not answer. */
const REQUESTS_MS = 18_000

export type Traffic = {
  /** `performance.now()` at the last request. */
  lastAt: number
}

/** Closes the listening socket once traffic goes elsewhere, then waits until every response is sent. */
export async function drainServer(server: Server, traffic: Traffic, linger: boolean): Promise<void> {
  const startedAt = performance.now()
  if (linger)
    while (performance.now() - startedAt < LINGER_MS) {
      if (performance.now() - Math.max(startedAt, traffic.lastAt) > QUIET_MS) break
      await sleep(50)
    }
  await emptyBacklog()
  // net.Server's close: http.Server's also closes every connection that has not sent a byte yet.
  const closed = new Promise((resolve) => Listener.prototype.close.call(server, resolve))
  if (linger) await Promise.race([closed, sleep(GRACE_MS)])
  // Keep-alive connections become idle only after their last response.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  const cut = setTimeout(() => server.closeAllConnections(), startedAt + REQUESTS_MS - performance.now())
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}

/**
 * Waits for an event loop turn so short that hardly any connection can have arrived since the last accept. The kernel
 * resets connections that are still queued when the socket closes: behind nginx that was a 502 in every other restart.
 */
async function emptyBacklog(): Promise<void> {
  for (let turns = 0; turns < 1_000; turns++) {
    const startedAt = performance.now()
    await turn()
    if (performance.now() - startedAt < 0.3) return
  }
}
