// The primary of a PostgreSQL with a synchronous replica is killed under load. One replica of the app reaches PostgreSQL
// through a TCP proxy, as with HAProxy; the other names both hosts in DATABASE_URL.

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { applyMigrations } from '../../../src/server/adapters/postgres/migrations.ts'
import { createPool, SHORT } from '../../../src/server/adapters/postgres/pool.ts'
import { checkDatabase } from '../../../src/server/doctor/check-database.ts'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import {
  type PostgresNode,
  promote,
  returnAsReplica,
  setSynchronous,
  startPrimary,
  startReplica,
} from '../../support/emulators/postgres-pair.ts'
import { startTcpProxy, type TcpProxy } from '../../support/emulators/tcp-proxy.ts'
import { endTestPool } from '../../support/test-pool.ts'
import { until } from '../../support/until.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))
/** Five times the 5 s that operations.md promises, since this machine can be slow. */
const MAX_RECOVERY_MS = 25_000
const WRITERS = 8

/** Uploads are requested, but nothing is sent to the store. */
const STORE = { S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret', MAX_OPEN_UPLOADS: '100000' }

let first: PostgresNode
let second: PostgresNode
beforeAll(async () => {
  first = await startPrimary(inject('runFolder'))
  await applyMigrations({ databaseUrl: await first.server.createDatabase('app'), directory: MIGRATIONS })
  second = await startReplica(first, inject('runFolder'))
  await setSynchronous(first.server, true)
})
afterAll(async () => {
  await second?.server.stop()
  await first?.server.stop()
})

/** DATABASE_URL with several hosts, in this order. */
function urlOf(...ports: number[]): string {
  const url = new URL(first.server.url('app'))
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
  return `postgresql://postgres:${url.password}@${hosts}/app?target_session_attrs=read-write`
}

describe('DATABASE_URL with several hosts', () => {
  const pools: { close(): Promise<void> }[] = []
  afterAll(() => Promise.all(pools.map((pool) => pool.close())))
  const pool = (url: string, limits = SHORT) => {
    const made = createPool(url, 2, limits)
    pools.push(made)
    return made
  }
  const WRITE = 'CREATE TABLE IF NOT EXISTS written ()'

  test.each([
    ['the standby first', () => urlOf(second.server.port, first.server.port)],
    ['the primary first', () => urlOf(first.server.port, second.server.port)],
    ['a host where nothing listens first', () => urlOf(9, first.server.port)],
  ])('reaches the primary: %s', async (_, url) => {
    const made = pool(url())
    await made.query(WRITE)
    const { rows } = await made.query('SELECT inet_server_port() AS port')
    expect(rows).toEqual([{ port: first.server.port }])
  })

  test('does not wait for a silent host', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const made = pool(urlOf((silent.address() as AddressInfo).port, first.server.port), {
      connectMs: 60_000,
      statementMs: 60_000,
    })
    const begunAt = performance.now()
    await made.query(WRITE)
    expect(performance.now() - begunAt).toBeLessThan(60_000)
    silent.close()
  })

  test('fails with PostgreSQL\'s "read-only" while no host is the primary', async () => {
    const made = pool(urlOf(9, second.server.port))
    await expect(made.query(WRITE)).rejects.toMatchObject({ code: '25006' })
  })

  test('works for db:migrate and doctor', async () => {
    const databaseUrl = urlOf(second.server.port, first.server.port)
    expect(await applyMigrations({ databaseUrl, directory: MIGRATIONS })).toEqual({
      applied: [],
      unknown: [],
    })
    const found = await databaseFindings(databaseUrl)
    expect(found.get('database-connection')?.status).toBe('ok')
    expect(found.get('database-migrations')?.status).toBe('ok')
    await expect(
      applyMigrations({ databaseUrl: urlOf(9, second.server.port), directory: MIGRATIONS }),
    ).rejects.toThrow(
      /^the database at 127\.0\.0\.1:9 or 127\.0\.0\.1:\d+ answered: no host .* accepts writes$/,
    )
  })
})

describe('doctor names each host of DATABASE_URL', () => {
  const host = (port: number) => `127.0.0.1:${port}`

  test('with its role', async () => {
    const found = await databaseFindings(urlOf(second.server.port, first.server.port))
    const message = `${host(second.server.port)} is a standby, ${host(first.server.port)} is the primary`
    expect(found.get('database-hosts')).toEqual({ status: 'ok', message })
  })

  test('and warns about one that does not respond', async () => {
    const found = await databaseFindings(urlOf(first.server.port, 9))
    expect(found.get('database-hosts')?.status).toBe('warn')
    expect(found.get('database-hosts')?.message).toMatch(
      /^127\.0\.0\.1:\d+ is the primary, 127\.0\.0\.1:9 does not accept connections \(.*ECONNREFUSED.*\): repair it/,
    )
    expect(found.get('database-connection')?.status).toBe('ok')
  })

  test('and says nothing about a single one', async () => {
    const found = await databaseFindings(first.server.url('app'))
    expect(found.has('database-hosts')).toBe(false)
  })
})

/** Returns what doctor says about the database, by check. */
async function databaseFindings(databaseUrl: string) {
  const found = new Map<string, { status: string; message: string }>()
  await checkDatabase({ databaseUrl, totalStorageBytes: undefined }, MIGRATIONS, (check, status, message) =>
    found.set(check, { status, message }),
  )
  return found
}

describe('kill -9 of the primary, and promotion of its synchronous replica', () => {
  let proxy: TcpProxy
  let app: PushApp
  let token: string
  beforeAll(async () => {
    proxy = await startTcpProxy(first.server.url('app'))
    app = await startPushApp({ databaseUrl: proxy.url, env: STORE })
    token = await app.tokenOf((await app.user()).id)
  })
  afterAll(async () => {
    await app?.close()
    if (proxy) await endTestPool(proxy.url)
    await proxy?.close()
  })

  test('loses no acknowledged write, skips no device of a broadcast, and does not end a process', async () => {
    const other = await app.replica({ DATABASE_URL: urlOf(first.server.port, second.server.port) })
    await other.services.start()
    const { tokens } = await seedDevices(app.db, 3_000, { platform: 'ios' })
    const users = await Promise.all(Array.from({ length: WRITERS }, () => app.user()))

    let isRunning = true
    let promotedAt: number | undefined
    const acknowledged: string[] = []
    /** Time from the promotion to the first write, of each replica. */
    const recoveredMs = new Map<unknown, number>()
    const file = { filename: 'a.png', mimeType: 'image/png', size: 1 }
    const writers = users.map(async (user, i) => {
      const replica = i % 2 === 0 ? app : other
      while (isRunning) {
        const { status, data } = await replica.mutate(user, 'upload.requestUploadUrl', file)
        if (status === 200) {
          acknowledged.push(data.fileId)
          if (promotedAt !== undefined && !recoveredMs.has(replica))
            recoveredMs.set(replica, performance.now() - promotedAt)
        }
        // Clients that retry at once would slow down the promotion.
        await sleep(status === 200 ? 0 : 20)
      }
    })
    app.apns.faults.set({ latencyMs: 100 })
    const { data: message } = await app.send(token, { title: 'Hello', body: 'World', all: true })
    await app.apns.requestLog.waitFor((log) => log.counts.accepted >= 700)
    await until('writes were acknowledged', () => acknowledged.length >= 100)

    await first.server.kill()
    await proxy.shut()
    promotedAt = performance.now()
    await promote(second.server)
    await proxy.open(second.server.url('app'))
    await until('both replicas write again', () => recoveredMs.size === 2)
    await returnAsReplica(first, second)
    await setSynchronous(second.server, true)
    isRunning = false
    await Promise.all(writers)

    const done = await app.completed(token, message.id)
    expect(done).toMatchObject({
      audience: { ios: tokens.length },
      sent: tokens.length,
      failed: 0,
      removed: 0,
    })
    expect(tokens.filter((each) => app.apns.requestLog.countOf(each) === 0)).toEqual([])
    // The old primary has everything again, as a replica.
    for (const node of [second, first]) await untilStored(node, acknowledged)
    const [bySwitch, byHosts] = [recoveredMs.get(app)!, recoveredMs.get(other)!]
    expect(Math.max(bySwitch, byHosts)).toBeLessThan(MAX_RECOVERY_MS)
  })
})

/** Waits for the replay of a replica. @throws Error if files are missing */
async function untilStored({ server }: PostgresNode, ids: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: server.url('app') })
  await client.connect()
  try {
    await until(`the server on port ${server.port} has every acknowledged file`, async () => {
      const { rows } = await client.query('SELECT count(*)::int AS n FROM files WHERE id = ANY($1)', [ids])
      return rows[0].n === ids.length
    })
  } finally {
    await client.end()
  }
}
