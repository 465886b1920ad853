// How far one address can affect others on any route. Routes are read from src/app, so new ones are tested too.

import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { MAX_RUNNING_CALLS } from '../../../src/server/api/access/call-queue.ts'
import { type BuiltServer, startBuiltServer } from '../../support/process/built-server.ts'
import { until } from '../../support/until.ts'

const LIMIT = 5
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

/** Load balancers call these paths, even while the service is busy. */
const UNLIMITED = ['/api/health/live', '/api/health/ready']

/** A path of every route and page. */
const ROUTES = (readdirSync(join(ROOT, 'src/app'), { recursive: true }) as string[])
  .filter((file) => /(^|[/\\])(route\.ts|page\.tsx)$/.test(file))
  .map((file) => ({
    isPage: file.endsWith('page.tsx'),
    path: `/${dirname(file)
      .split(sep)
      .filter((segment) => segment !== '.' && !/^\(.*\)$/.test(segment))
      .map((segment) => segment.replace('[...nextauth]', 'csrf').replace(/^\[.*\]$/, 'none'))
      .join('/')}`,
  }))

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
  test.each(ROUTES.filter(({ path }) => !UNLIMITED.includes(path)))('$path', async ({ path, isPage }) => {
    const kinds = isPage ? ['no credential'] : Object.keys(CREDENTIALS)
    for (const method of isPage ? ['GET'] : ['GET', 'POST', 'DELETE'])
      await Promise.all(
        kinds.map(async (kind) => {
          const statuses = await untilRejected(path, method, CREDENTIALS[kind]!)
          expect(statuses.at(-1), `${method} with ${kind}: ${statuses}`).toBe(429)
          expect(statuses.length).toBeGreaterThan(LIMIT)
        }),
      )
  })

  test('paths without a route', async () => {
    for (const path of ['/none', '/api/none', '/api/trpc/none', '/_next/none'])
      expect((await untilRejected(path, 'GET', () => undefined)).at(-1), path).toBe(429)
  })

  test('except health', async () => {
    for (const path of UNLIMITED)
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

test('lookups of one address’s unknown credentials leave database connections for others', async () => {
  const db = new pg.Pool({ connectionString: unlimited.databaseUrl, max: 2 })
  const { headers } = await unlimited.user()
  const locker = await db.connect()
  await locker.query('BEGIN; LOCK TABLE api_keys')
  const lookups = async () => {
    const { rows } = await db.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%api_keys%'`,
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
