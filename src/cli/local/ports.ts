import { createServer } from 'node:net'

/** Another process listens on a port that this one needs. Has the code of the errors of Node's servers. */
export class PortTaken extends Error {
  readonly code = 'EADDRINUSE'
}

/** Runs that start at once can choose the same ports several times in a row. */
const MAX_ATTEMPTS = 10

/** Runs `start` again if another process takes a port between its choice and its use. `undo` runs before. */
export async function retryWithOtherPorts<T>(
  start: () => Promise<T>,
  undo: () => Promise<unknown> = async () => {},
): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await start()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempt === MAX_ATTEMPTS) throw error
      await undo()
    }
}

/** Returns true if nothing listens on this port, on any address of this machine. */
export async function isFree(port: number): Promise<boolean> {
  return (await listenError(port)) === null
}

/** Returns a message if this process cannot listen on the port, otherwise null. `another` is a command with another port. */
export async function portFault(port: number, another: string): Promise<string | null> {
  const code = await listenError(port)
  return code === null ? null : describePortFault(port, code, another)
}

export function describePortFault(port: number, code: string, another: string): string {
  const what =
    code === 'EACCES'
      ? `This user cannot listen on port ${port}: ports below 1024 require root`
      : `Port ${port} is in use`
  return `${what}. Choose another one: ${another}`
}

/** Returns the code of the error that listening causes, or null. */
function listenError(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(port, () => server.close(() => resolve(null)))
  })
}

/** Ports above 1024 that browsers and fetch block: https://fetch.spec.whatwg.org/#port-blocking. */
const BLOCKED = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
])

/** Returns the first `count` free ports from `from` on: the same ones on every run, if they are free. */
export async function freePorts(from: number, count: number): Promise<number[]> {
  const found: number[] = []
  for (let port = from; found.length < count && port < 65_536; port++)
    if (!BLOCKED.has(port) && (await isFree(port))) found.push(port)
  return found
}
