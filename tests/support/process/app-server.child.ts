// An app server as a process of its own that can be killed: the container behind node:http, no Next.
// Environment as in production; with SWEEP=1 the background work runs too. Prints {"url"} when it listens.

import { createPasswords } from '../../../src/server/auth/password.ts'
import { loadConfig } from '../../../src/server/config.ts'
import { build } from '../../../src/server/container.ts'
import { downloadFile } from '../../../src/server/http/file-download.ts'
import { handleTrpc } from '../../../src/server/trpc/handler.ts'
import { listen } from '../app/listen.ts'

// A sixth of the production cost: how attempts queue is the same, and the machine has other tests to run.
const services = await build(loadConfig(), createPasswords({ logN: 14, r: 8, p: 1 }))
if (process.env.SWEEP) await services.start()

const listener = await listen((request) => {
  const path = new URL(request.url).pathname
  return path.startsWith('/files/')
    ? downloadFile(request, services, path.slice('/files/'.length))
    : handleTrpc(request, Promise.resolve(services))
})
console.log(JSON.stringify({ url: listener.url }))
process.stdin.once('end', () => process.exit(0)).resume()
process.once('SIGTERM', async () => {
  listener.close()
  await services.close()
  process.exit(0)
})
