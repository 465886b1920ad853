// Sends HTTP as bytes, for requests that no client library would send.

import { connect } from 'node:net'

/** Sends bytes unchanged. Resolves with the response when the connection ends, or undefined if it does not end. */
export function sendRaw(
  url: string,
  bytes: string | Uint8Array,
  timeoutMs = 60_000,
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

/** Returns the statuses of all responses in the result of `sendRaw`. */
export function statuses(answer: string | undefined): number[] {
  return [...(answer ?? '').matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((m) => Number(m[1]))
}
