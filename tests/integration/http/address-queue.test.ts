import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { createAddressQueue } from '../../../src/cli/serve/address-queue.ts'
import {
  createAddressPlaces,
  createPresence,
  MAX_RUNNING_CALLS,
  MAX_WAITING_CALLS,
} from '../../../src/server/api/access/call-queue.ts'
import { createLoopShare } from '../../../src/server/api/access/loop-share.ts'
import { AppError } from '../../../src/server/kernel/errors.ts'
import { until } from '../../support/until.ts'

/** Running requests by path. `end` sends their responses. */
const running: { path: string; leave(): void; end(): void }[] = []
const counted: string[] = []
const isAlone = createPresence()
const admit = createAddressQueue({
  addressPlaces: createAddressPlaces(isAlone, MAX_WAITING_CALLS),
  loopShare: createLoopShare({ isAlone }),
  countCall(caller) {
    counted.push(caller)
    if (caller === 'address:192.0.2.66') throw new AppError('TOO_MANY_REQUESTS', 'Wait.')
  },
  fail: (_error, response) => response.destroy(),
})
const server = createServer((request, response) => {
  const path = request.url!
  const pattern = path.startsWith('/api/') || path.startsWith('/files/') ? path : undefined
  const address = String(request.headers['x-pigeonhole-address'])
  admit({ response, path, pattern, address }, (place) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = () => {
      response.end('answer')
      resolve()
    }
    if (path.startsWith('/_next/')) end()
    else running.push({ path, leave: () => place.leave(), end })
    return promise
  })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

const get = (path: string, address: string) =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-pigeonhole-address': address } })

const paths = () => running.map(({ path }) => path)

/** Ends running requests, and those that start then, until `done`. Returns the paths. */
async function endAll(done: Promise<unknown>): Promise<Set<string>> {
  const ended = new Set<string>()
  const ending = setInterval(() => {
    for (const { path, end } of running.splice(0)) {
      ended.add(path)
      end()
    }
  })
  await done
  clearInterval(ending)
  return ended
}

for (const path of ['/signin', '/api/openapi.json', '/files/none'])
  test(`an address waits for its own requests of ${path}; other addresses, build files and health checks do not`, async () => {
    const requests = Array.from({ length: MAX_RUNNING_CALLS + MAX_WAITING_CALLS - 1 }, () =>
      get(path, '192.0.2.1'),
    )
    await until('all its places are taken', () => running.length === MAX_RUNNING_CALLS)
    const leaving = connect(port, '127.0.0.1')
    leaving.write(`GET ${path}left HTTP/1.1\r\nHost: a\r\nx-pigeonhole-address: 192.0.2.1\r\n\r\n`)
    let rejected: Response | undefined
    await until('its queue is full', async () => {
      rejected = await Promise.race([get(path, '192.0.2.1'), get('/_next/static/a.js', '192.0.2.3')])
      return rejected.status === 429
    })
    expect(rejected!.headers.get('retry-after')).toBe('1')
    expect(await rejected!.text()).toContain('300 wait')
    leaving.destroy()
    const others = get(`${path}other`, '192.0.2.2')
    const health = get('/api/health/live', '192.0.2.1')
    await until("another address's request is running", () => paths().includes(`${path}other`))
    await until('the health check is running', () => paths().includes('/api/health/live'))
    expect(running).toHaveLength(MAX_RUNNING_CALLS + 2)
    const ended = await endAll(Promise.all([...requests, others, health]))
    expect((await others).status).toBe(200)
    expect(ended).not.toContain(`${path}left`)
  })

test('a request whose caller has been identified makes room for the next one', async () => {
  const requests = Array.from({ length: MAX_RUNNING_CALLS + 1 }, (_, n) => get(`/files/${n}`, '192.0.2.1'))
  await until('all its places are taken', () => running.length === MAX_RUNNING_CALLS)
  running[0]!.leave()
  await until('the next one is running', () => running.length === MAX_RUNNING_CALLS + 1)
  await endAll(Promise.all(requests))
})

test('a request is counted by address before it starts, except where a user may be identified later', async () => {
  counted.length = 0
  const rejected = await get('/api/openapi.json', '192.0.2.66')
  expect([rejected.status, await rejected.json()]).toMatchObject([
    429,
    { error: { code: 'TOO_MANY_REQUESTS' } },
  ])
  expect(counted).toEqual(['address:192.0.2.66'])
  const file = get('/files/a', '192.0.2.66')
  await endAll(file)
  const page = get('/signin', '192.0.2.66')
  await endAll(page)
  expect((await page).status).toBe(200)
  expect(counted).toEqual(['address:192.0.2.66', 'page:192.0.2.66'])
})
