import type { Server } from 'node:http'
import { Server as Listener } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'

/** Maximum duration of a drain. Orchestrators kill the process after 30 s. */
export const DRAIN_MS = 25_000
/** After SIGTERM, the server accepts requests until none has arrived for this time. */
const QUIET_MS = 300
/** Maximum time to wait for that. By then, load balancers have noticed the readiness or a refused connection. */
const LINGER_MS = 5_000
/** Time in which the last accepted connections can send their requests. */
const GRACE_MS = 1_500
/** Time after which requests without a response are cut off. What they wait for does not respond. */
const REQUESTS_MS = 18_000

export type Traffic = {
  /** `performance.now()` at the last request. */
  lastAt: number
}

/** Closes the listening socket after traffic has moved away, then waits until every response is sent. */
export async function drainServer(server: Server, traffic: Traffic, linger: boolean): Promise<void> {
  const startedAt = performance.now()
  if (linger)
    while (performance.now() - startedAt < LINGER_MS) {
      if (performance.now() - Math.max(startedAt, traffic.lastAt) > QUIET_MS) break
      await sleep(50)
    }
  await emptyBacklog()
  // http.Server's close would also close every connection that has not sent a byte yet.
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
 * Waits for a turn of the event loop so short that almost no connection can have arrived since the last accept. When the
 * socket closes, the kernel resets connections that wait to be accepted. Behind nginx, every second restart caused a 502.
 */
async function emptyBacklog(): Promise<void> {
  for (let turns = 0; turns < 1_000; turns++) {
    const startedAt = performance.now()
    await turn()
    if (performance.now() - startedAt < 0.3) return
  }
}
