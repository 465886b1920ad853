// HTTP as bytes: for requests that no client library would send.

import { connect } from 'node:net'

/** Sends bytes as they are and gives back what came until the connection ended, or undefined if it did not. */
export function sendRaw(
  url: string,
  bytes: string | Uint8Array,
  timeoutMs = 5_000,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    let answer = ''
    const timer = setTimeout(() => done(undefined), timeoutMs)
    const done = (result: string | undefined) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(result)
    }
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
    })
    socket.on('close', () => done(answer))
    socket.on('error', () => done(answer))
    socket.write(bytes)
  })
}

/** The statuses of all answers in what `sendRaw` gave. */
export function statuses(answer: string | undefined): number[] {
  return [...(answer ?? '').matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((m) => Number(m[1]))
}
