// A silent database: connections stay open without a response, as after a failover or behind a firewall that drops its
// state. Limits are shorter than in production, except in the test of the whole service.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@pigeonhole/emulators/postgres'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { isReadOnly } from '../../../src/server/adapters/postgres/find-primary.ts'
import { createRateCounter } from '../../../src/server/adapters/postgres/rate-counter.ts'
import { startPushApp } from '../../support/app/push-app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { startTcpProxy, type TcpProxy } from '../../support/emulators/tcp-proxy.ts'
import { until } from '../../support/until.ts'

const LIMITS = { connectMs: 3_000, statementMs: 3_000 }
/** Extra time for a busy machine. Without limits, a call would wait forever. */
const SLACK_MS = 20_000

let database: TestDatabase
let proxy: TcpProxy
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  return () => database.drop()
})
beforeEach(async () => {
  proxy = await startTcpProxy(database.url)
  db = createDb(proxy.url, 6, LIMITS)
})
afterEach(async () => {
  await db.close()
  await proxy.close()
})

const ask = async () => (await db.pool.query('SELECT 1 AS one')).rows

/** Returns how a call ended, and after how long. */
async function timed(call: Promise<unknown>): Promise<{ failed: boolean; ms: number }> {
  const startedAt = performance.now()
  const failed = await call.then(
    () => false,
    () => true,
  )
  return { failed, ms: performance.now() - startedAt }
}

const transaction = (statement: () => void = () => {}) =>
  db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1`
    statement()
    return tx.$queryRaw`SELECT 2`
  })

describe('when existing connections go silent and new ones work', () => {
  test('one statement waits for the limit, then all silent connections are replaced', async () => {
    await Promise.all(Array.from({ length: 6 }, ask))
    expect(db.pool.idleCount).toBe(6)
    proxy.silence('existing')
    const first = await timed(ask())
    expect(first.failed).toBe(true)
    expect(first.ms).toBeGreaterThan(LIMITS.statementMs - 50)
    expect(first.ms).toBeLessThan(LIMITS.statementMs + SLACK_MS)
    for (let i = 0; i < 12; i++) expect(await ask()).toEqual([{ one: 1 }])
  })

  test('a connection that goes silent inside a transaction is not used again', async () => {
    const lone = await timed(transaction(() => proxy.silence('existing')))
    expect(lone.failed).toBe(true)
    expect(lone.ms).toBeLessThan(LIMITS.statementMs + SLACK_MS)
    expect(await transaction()).toBeDefined()
    expect(await ask()).toEqual([{ one: 1 }])
  })

  test('rate counters recover with the other pools of the process', async () => {
    const counters = createDb(proxy.url, 2, LIMITS)
    const counter = createRateCounter(counters.pool, { prefix: 'silent', windowSeconds: 60 })
    await Promise.all([counter.increment('a'), counter.increment('a'), ask()])
    proxy.silence('existing')
    expect((await timed(ask())).failed).toBe(true)
    expect((await counter.increment('a')).count).toBe(3)
    await counters.close()
  })
})

test('a suspended database makes no call wait longer than the limits, and all calls work when it resumes', async () => {
  await Promise.all([ask(), ask()])
  proxy.silence('all')
  const calls = await Promise.all([
    ...Array.from({ length: 30 }, () => timed(ask())),
    timed(db.user.count()),
    timed(transaction()),
  ])
  for (const { failed, ms } of calls) {
    expect(failed).toBe(true)
    expect(ms).toBeLessThan(LIMITS.connectMs + LIMITS.statementMs + SLACK_MS)
  }
  proxy.resume()
  // On a busy machine, the first new connection can take longer than the limits.
  const rows = await until('it responds again', () => ask().catch(() => null))
  expect(rows).toEqual([{ one: 1 }])
  expect(await db.user.count()).toBe(0)
})

test('a PostgreSQL whose processes are all suspended (SIGSTOP) makes no call wait longer, and all calls work when it resumes', async () => {
  const server = await startPostgres({
    dir: mkdtempSync(join(tmpdir(), 'pigeonhole-stopped-')),
    fast: true,
    temporary: true,
  })
  const suspended = createDb(server.url(), 6, LIMITS)
  const one = () => suspended.pool.query('SELECT 1')
  await Promise.all([one(), one()])
  const { rows: pids } = await suspended.pool.query<{ pid: number }>(`
    SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int AS pid
    UNION ALL SELECT pid FROM pg_stat_activity`)
  const signal = (name: NodeJS.Signals) => {
    for (const { pid } of pids) process.kill(pid, name)
  }
  signal('SIGSTOP')
  try {
    // The kernel still accepts connections for it.
    for (const { failed, ms } of await Promise.all(Array.from({ length: 30 }, () => timed(one())))) {
      expect(failed).toBe(true)
      expect(ms).toBeLessThan(LIMITS.connectMs + LIMITS.statementMs + SLACK_MS)
    }
  } finally {
    signal('SIGCONT')
  }
  await until('it responds again', () =>
    one().then(
      () => true,
      () => false,
    ),
  )
  await suspended.close()
  await server.stop()
})

test('a transaction waits as long for a connection as a statement', async () => {
  const lone = createDb(database.url, 1, { ...LIMITS, connectMs: 60_000 })
  const connection = await lone.pool.connect()
  const calls = Promise.all([
    lone.pool.query('SELECT 1'),
    lone.transaction((_, sql) => isReadOnly(sql)),
    lone.sqlTransaction(isReadOnly),
  ])
  // Prisma's own limit is 2 s.
  setTimeout(() => connection.release(), 2_500)
  try {
    expect(await calls).toEqual([expect.anything(), false, false])
  } finally {
    await lone.close()
  }
})

test('PostgreSQL ends a slow statement and reports it', async () => {
  await expect(db.$queryRaw`SELECT pg_sleep(30)::text`).rejects.toThrow(/statement timeout/)
  expect(await ask()).toEqual([{ one: 1 }])
})

test('a pool closes even if its connections are silent', async () => {
  const other = createDb(proxy.url, 2, { connectMs: 4_500, statementMs: 60_000 })
  await other.pool.query('SELECT 1')
  proxy.silence('all')
  const call = timed(other.pool.query('SELECT 1'))
  const closed = await timed(other.close())
  expect(closed).toMatchObject({ failed: false })
  expect(closed.ms).toBeLessThan(30_000)
  expect((await call).failed).toBe(true)
})

test('in the whole service, every call ends, push endpoints return 503, and all calls work again once new connections do', async () => {
  const app = await startPushApp({ databaseUrl: proxy.url })
  try {
    const user = await app.user()
    const token = await app.tokenOf(user.id)
    const message = { title: 'a', body: 'b', userId: user.id }
    const calls = {
      send: () => app.send(token, message),
      message: () => app.message(token, user.id),
      createToken: () => app.createToken({ userId: user.id, name: 'another' }),
      usage: () => app.query(user, 'account.usage'),
    }
    const answers = async () =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(calls).map(async ([name, call]) => {
            const startedAt = performance.now()
            const { status, headers, data } = await call()
            const retryAfter = Number(headers.get('retry-after'))
            const code = data.error?.data?.code ?? data.error?.code
            return [name, { status, code, retryAfter, ms: performance.now() - startedAt }] as const
          }),
        ),
      )
    const works = async () => {
      const { send, createToken, usage } = await answers()
      return send!.status === 200 && createToken!.status === 200 && usage!.status === 200
    }
    const expectAway = (all: Awaited<ReturnType<typeof answers>>) => {
      // 9.5 s is the sum of the limits for a connection and a statement.
      for (const { ms } of Object.values(all)) expect(ms).toBeLessThan(50_000)
      for (const name of ['send', 'message', 'createToken']) {
        expect(all[name]).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' })
        expect(all[name]!.retryAfter).toBeGreaterThan(0)
      }
      // tRPC returns only its documented codes.
      expect(all.usage).toMatchObject({ status: 500, code: 'INTERNAL_SERVER_ERROR' })
    }
    expect(await works()).toBe(true)

    proxy.silence('existing')
    expectAway(await answers())
    await until('it works again', works)

    proxy.silence('all')
    expectAway(await answers())
    proxy.resume()
    await until('it works again', works)
  } finally {
    await app.close()
  }
})
