// An app server as a process of its own that can be killed: the container behind node:http, no Next.
// Environment as in production; with SWEEP=1 the background work runs too. Prints {"port"} when it listens.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadConfig } from '../../../src/server/config.ts'
import { build } from '../../../src/server/container.ts'
import { downloadFile } from '../../../src/server/http/file-download.ts'
import { handleTrpc } from '../../../src/server/trpc/handler.ts'

const services = await build(loadConfig())
if (process.env.SWEEP) await services.start()

const server = createServer(async (req, res) => {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  const request = new Request(new URL(req.url ?? '/', services.config.baseUrl), {
    method: req.method,
    headers: Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  })
  const path = new URL(request.url).pathname
  const response = path.startsWith('/files/')
    ? await downloadFile(request, services, path.slice('/files/'.length))
    : await handleTrpc(request, Promise.resolve(services))
  res.writeHead(response.status, Object.fromEntries(response.headers))
  res.end(Buffer.from(await response.arrayBuffer()))
})
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }))
})
process.stdin.once('end', () => process.exit(0)).resume()
process.once('SIGTERM', async () => {
  server.close()
  server.closeAllConnections()
  await services.close()
  process.exit(0)
})
