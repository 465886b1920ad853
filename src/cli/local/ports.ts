import { createServer } from 'node:net'

/** Whether nothing listens on this port yet, on any address of this machine. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, () => probe.close(() => resolve(true)))
  })
}

/** The first of `count` ports in a row that are free, from `from` on; the same ones on each run if they can be had. */
export async function freePorts(from: number, count: number): Promise<number[]> {
  const found: number[] = []
  for (let port = from; found.length < count && port < 65_536; port++)
    if (await isFree(port)) found.push(port)
  return found
}
