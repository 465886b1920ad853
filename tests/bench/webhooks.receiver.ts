// The receiver of `npm run bench -- webhooks`: verifies nothing, responds with 204, and reports the number of events on
// GET.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const ids = new Set<string>()
let requests = 0
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ events: ids.size, requests }))
    return
  }
  ids.add(String(request.headers['webhook-id']))
  requests++
  request.resume().on('end', () => response.writeHead(204).end())
})
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
})
process.on('SIGTERM', () => process.exit(0))
