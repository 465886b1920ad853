// clamd's command INSTREAM, which finds only the EICAR test string and rejects OVERSIZED. Any other command gets clamd's error.

import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** https://www.eicar.org/download-anti-malware-testfile, in two parts so that scanners ignore this file. */
export const EICAR = [
  String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}`,
  '$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*',
].join('')

/** Bytes that clamd does not scan. */
export const OVERSIZED = 'an archive that is too large for clamd'

const COMMAND = Buffer.from('zINSTREAM\0')

export type ClamdEmulator = { address: string; close(): void }

export async function startClamd(): Promise<ClamdEmulator> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let received = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (data: Buffer) => {
      received = Buffer.concat([received, data])
      const answer = answerTo(received)
      if (answer) socket.end(`${answer}\0`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Returns undefined while the command is incomplete. */
function answerTo(received: Buffer): string | undefined {
  if (received.length < COMMAND.length) return undefined
  if (!received.subarray(0, COMMAND.length).equals(COMMAND)) return 'UNKNOWN COMMAND'
  const chunks: Buffer[] = []
  for (let at = COMMAND.length; at + 4 <= received.length; ) {
    const length = received.readUInt32BE(at)
    if (length === 0) {
      const bytes = Buffer.concat(chunks)
      if (bytes.includes(OVERSIZED)) return 'INSTREAM size limit exceeded. ERROR'
      return bytes.includes(EICAR) ? 'stream: Eicar-Test-Signature FOUND' : 'stream: OK'
    }
    chunks.push(received.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return undefined
}
