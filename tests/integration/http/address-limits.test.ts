// How far one address can affect others on any route.

import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_RUNNING_CALLS } from '../../../src/server/api/access/call-queue.ts'
import { APP_ROUTES, HEALTH_PATHS } from '../../support/app/app-routes.ts'
import { type BuiltServer, startBuiltServer } from '../../support/process/built-server.ts'
import { until } from '../../support/until.ts'

const LIMIT = 2
/** A test during which a new minute starts sees two windows. */
const WINDOWS = 2

let server: BuiltServer
/** Server with the default limit. */
let unlimited: BuiltServer
beforeAll(async () => {
  server = await startBuiltServer({ TRUST_PROXY: '1', API_RATE_PER_MINUTE: String(LIMIT) })
  unlimited = await startBuiltServer({ TRUST_PROXY: '1' })
})
afterAll(async () => {
  await server.close()
  await unlimited.close()
})

const token = () => randomBytes(32).toString('base64url')
const CREDENTIALS: Record<string, () => string | undefined> = {
  'no credential': () => undefined,
  'unknown API keys': () => `pk_${token()}`,
  'unknown push tokens': () => `ph_${token()}`,
  'invalid session tokens': () => `eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..${token()}.${token()}.${token()}`,
  'wrong secrets': () => token(),
}

let addresses = 0
const nextAddress = () => `10.0.${addresses >> 8}.${addresses++ & 255}`

function send(path: string, method: string, address: string, bearer?: string): Promise<Response> {
  return fetch(server.url + path, {
    method,
    redirect: 'manual',
    headers: {
      'x-forwarded-for': address,
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
  })
}

/** Sends requests from an address until the first 429. Returns their statuses. */
async function untilRejected(path: string, method: string, bearer: () => string | undefined) {
  const address = nextAddress()
  const statuses: number[] = []
  while (statuses.at(-1) !== 429 && statuses.length <= WINDOWS * LIMIT) {
    const response = await send(path, method, address, bearer())
    await response.arrayBuffer()
    statuses.push(response.status)
  }
  return statuses
}

describe('every route has a limit by address', () => {
  test.each(APP_ROUTES.filter(({ path }) => !HEALTH_PATHS.includes(path)))(
    '$path',
    async ({ path, isPage }) => {
      const kinds = isPage ? ['no credential'] : Object.keys(CREDENTIALS)
      for (const method of isPage ? ['GET'] : ['GET', 'POST', 'DELETE'])
        await Promise.all(
          kinds.map(async (kind) => {
            const statuses = await untilRejected(path, method, CREDENTIALS[kind]!)
            expect(statuses.at(-1), `${method} with ${kind}: ${statuses}`).toBe(429)
            expect(statuses.length).toBeGreaterThan(LIMIT)
          }),
        )
    },
  )

  test('paths without a route', async () => {
    for (const path of ['/none', '/api/none', '/api/trpc/none', '/_next/none'])
      expect((await untilRejected(path, 'GET', () => undefined)).at(-1), path).toBe(429)
  })

  test('except health', async () => {
    for (const path of HEALTH_PATHS)
      expect(new Set(await untilRejected(path, 'GET', () => undefined)), path).toEqual(new Set([200]))
  })
})

test('a valid credential works from an address whose limit others have used up', async () => {
  const { headers } = await server.user()
  const address = nextAddress()
  const call = (more = {}) =>
    fetch(`${server.url}/api/trpc/account.usage`, { headers: { 'x-forwarded-for': address, ...more } })
  const statuses: number[] = []
  while (statuses.at(-1) !== 429 && statuses.length <= WINDOWS * LIMIT) statuses.push((await call()).status)
  expect(statuses.at(-1)).toBe(429)
  expect((await call(headers)).status).toBe(200)
})

test('while one address floods a page, others soon get more responses than it', async () => {
  const { token } = await unlimited.user()
  const stop = new AbortController()
  let pages = 0
  const flood = Array.from({ length: 40 }, async () => {
    const headers = { 'x-forwarded-for': '192.0.2.3', cookie: `next-auth.session-token=${token}` }
    while (!stop.signal.aborted) {
      const page = await fetch(`${unlimited.url}/settings`, { headers, signal: stop.signal })
      expect(page.status).toBe(200)
      await page.arrayBuffer()
      pages++
    }
  })
  const ended = Promise.allSettled(flood)
  /** Returns the number of pages that the flood gets while others call this many times, one after another. */
  const pagesDuring = async (calls: number) => {
    const before = pages
    for (let n = 0; n < calls; n++) {
      const headers = { 'x-forwarded-for': nextAddress() }
      const response = await fetch(`${unlimited.url}/api/trpc/upload.limits`, { headers })
      expect(response.status).toBe(200)
    }
    return pages - before
  }
  try {
    await until('the flood gets pages', () => pages > 10)
    // First it uses the time that an idle address has saved up.
    while (pages < 300 && (await pagesDuring(30)) > 10);
    expect(pages).toBeLessThan(300)
  } finally {
    stop.abort()
  }
  // Each ends with the abort, not with a page of another status.
  for (const one of await ended)
    expect(one).toMatchObject({ status: 'rejected', reason: { name: 'AbortError' } })
})

test('lookups of one address’s unknown credentials leave database connections for others', async () => {
  const db = new pg.Pool({ connectionString: unlimited.databaseUrl, max: 2 })
  const { headers } = await unlimited.user()
  const locker = await db.connect()
  await locker.query('BEGIN; LOCK TABLE api_keys')
  const lookups = async () => {
    const { rows } = await db.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend'
         AND wait_event_type = 'Lock' AND query LIKE '%api_keys%'`,
    )
    return rows[0].n
  }
  const gone = new AbortController()
  const attack = Array.from({ length: 3 * MAX_RUNNING_CALLS }, () =>
    fetch(`${unlimited.url}/files/none`, {
      headers: { 'x-forwarded-for': '192.0.2.1', authorization: `Bearer pk_${token()}` },
      signal: gone.signal,
    }),
  )
  try {
    await until('the address uses all its places', async () => (await lookups()) === MAX_RUNNING_CALLS)
    for (let n = 0; n < 3; n++) {
      const call = await fetch(`${unlimited.url}/api/trpc/account.usage`, {
        headers: { ...headers, 'x-forwarded-for': '192.0.2.2' },
      })
      expect(call.status).toBe(200)
    }
    expect(await lookups()).toBeLessThanOrEqual(MAX_RUNNING_CALLS)
  } finally {
    gone.abort()
    await Promise.allSettled(attack)
    await locker.query('ROLLBACK')
    locker.release()
    await db.end()
  }
})
