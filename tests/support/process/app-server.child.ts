// An app server as a process that can be killed: the services behind node:http, without Next. Its environment is as in
// production; with SWEEP=1 the background work runs too. Prints {"url"} when it listens.

import { downloadFile } from '../../../src/server/api/http/file-download.ts'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import { loadConfig } from '../../../src/server/config/config.ts'
import { createPasswords } from '../../../src/server/domain/accounts/password.ts'
import { buildServices } from '../../../src/server/wiring/build-services.ts'
import { listen } from '../app/listen.ts'

// A sixth of the production cost. Attempts queue in the same way, and other tests need the CPU.
const services = await buildServices(loadConfig(), createPasswords({ logN: 14, r: 8, p: 1 }))
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
