import { createServer } from 'node:net'

/** Whether nothing listens on this port, on any address of this machine. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, () => probe.close(() => resolve(true)))
  })
}

/** Ports above 1024 that browsers and fetch block: https://fetch.spec.whatwg.org/#port-blocking. */
const BLOCKED = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
])

/** The first `count` free ports from `from` on; the same ones on every run as long as they are free. */
export async function freePorts(from: number, count: number): Promise<number[]> {
  const found: number[] = []
  for (let port = from; found.length < count && port < 65_536; port++)
    if (!BLOCKED.has(port) && (await isFree(port))) found.push(port)
  return found
}
