import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { queuePages } from '../../../src/cli/serve/page-queue.ts'
import { createCallQueue, MAX_AT_WORK, MAX_WAITING } from '../../../src/server/trpc/call-queue.ts'
import { until } from '../../support/until.ts'

/** Pages that are being rendered, by path; `end` sends them. */
const rendering: { path: string; end(): void }[] = []
const handle = queuePages((request, response) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = () => {
    response.end('page')
    resolve()
  }
  if (request.url!.startsWith('/_next/')) end()
  else rendering.push({ path: request.url!, end })
  return promise
}, createCallQueue())
const server = createServer((request, response) => {
  handle(request, response).catch(() => response.destroy())
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

const get = (path: string, address: string) =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-pigeonhole-address': address } })

const paths = () => rendering.map(({ path }) => path)

test('an address waits for its own pages; others get theirs, and what is no page goes on', async () => {
  const pages = Array.from({ length: MAX_AT_WORK + MAX_WAITING - 1 }, () => get('/signin', '192.0.2.1'))
  await until('its places are taken', () => rendering.length === MAX_AT_WORK)
  const leaving = connect(port, '127.0.0.1')
  leaving.write('GET /left HTTP/1.1\r\nHost: a\r\nx-pigeonhole-address: 192.0.2.1\r\n\r\n')
  let refused: Response | undefined
  await until('its queue is full', async () => {
    refused = await Promise.race([get('/over', '192.0.2.1'), get('/_next/a.js', '192.0.2.1')])
    return refused.status === 429
  })
  expect(refused!.headers.get('retry-after')).toBe('1')
  expect(await refused!.text()).toContain('300 wait')
  leaving.destroy()
  const others = get('/other', '192.0.2.2')
  await until("another address's page is rendered", () => paths().includes('/other'))
  expect(paths().filter((path) => path === '/other')).toHaveLength(1)
  expect(rendering).toHaveLength(MAX_AT_WORK + 1)
  const rendered = new Set<string>()
  const ending = setInterval(() => {
    for (const { path, end } of rendering.splice(0)) {
      rendered.add(path)
      end()
    }
  })
  expect((await others).status).toBe(200)
  await Promise.all(pages)
  clearInterval(ending)
  expect(rendered).not.toContain('/left')
})
