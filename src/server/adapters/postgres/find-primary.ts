// DATABASE_URL can name several hosts, of which one at a time accepts writes. The driver supports only one.

import { setTimeout as sleep } from 'node:timers/promises'
import { urlPerHost } from '../../kernel/database-hosts.ts'
import { shareRun } from '../../kernel/share-run.ts'
import { Connection } from './connection.ts'
import { databaseErrorCode } from './errors.ts'
import { createSql, type Sql } from './sql.ts'

/** `url`: DATABASE_URL with this host alone. */
export type Primary = { url: string; host: string; port: number }

/** A search returns the host that accepts writes. @throws the most helpful of the hosts' errors */
export type FindPrimary = () => Promise<Primary>

/** Interval between probes of one host. It adds to the time that a failover takes. */
const ASK_AGAIN_MS = 200

/**
 * Returns a search among the hosts of DATABASE_URL, or undefined if it names only one. All hosts are asked at once, and
 * the first that accepts writes wins, because a host that vanished in a failover gives no answer. Others are asked again
 * while the search waits for it: one of them can be promoted meanwhile. Simultaneous searches share one run.
 */
export function createFindPrimary(databaseUrl: string, timeoutMs: number): FindPrimary | undefined {
  const urls = urlPerHost(databaseUrl)
  if (urls.length === 1) return undefined
  return shareRun(() => search(urls, timeoutMs))
}

/** Returns DATABASE_URL with the host that accepts writes, for commands with a connection of their own. */
export async function primaryUrl(databaseUrl: string, timeoutMs: number): Promise<string> {
  return (await createFindPrimary(databaseUrl, timeoutMs)?.())?.url ?? databaseUrl
}

/** State of one host of DATABASE_URL: `error` is why it cannot be used now. */
export type HostState = { host: string; state: 'primary' | 'standby' } | { host: string; error: unknown }

/** Asks each host of DATABASE_URL for its state. */
export function hostStates(databaseUrl: string, timeoutMs: number): Promise<HostState[]> {
  const { signal } = new AbortController()
  const stateOf = async (url: string): Promise<HostState> => {
    const { host } = new URL(url)
    try {
      await ask(url, timeoutMs, signal)
      return { host, state: 'primary' }
    } catch (error) {
      return error === READ_ONLY ? { host, state: 'standby' } : { host, error }
    }
  }
  return Promise.all(urlPerHost(databaseUrl).map(stateOf))
}

async function search(urls: string[], timeoutMs: number): Promise<Primary> {
  const end = new AbortController()
  const deadline = performance.now() + timeoutMs
  const failed = new Set<string>()
  try {
    return await Promise.any(
      urls.map(async (url) => {
        for (;;) {
          try {
            return await ask(url, deadline - performance.now(), end.signal)
          } catch (error) {
            failed.add(url)
            const isLast = performance.now() + ASK_AGAIN_MS > deadline
            if (failed.size === urls.length || isLast) throw error
          }
          await sleep(ASK_AGAIN_MS, undefined, { signal: end.signal })
        }
      }),
    )
  } catch (error) {
    throw mostHelpful((error as AggregateError).errors)
  } finally {
    end.abort()
  }
}

/** @throws Error if the host does not accept writes */
async function ask(url: string, timeoutMs: number, signal: AbortSignal): Promise<Primary> {
  const connection = new Connection({
    connectionString: url,
    connectionTimeoutMillis: Math.ceil(timeoutMs),
    application_name: 'pigeonhole-find-primary',
  })
  connection.limitMs = timeoutMs
  const stop = () => connection.destroy(new Error('another host was found'))
  signal.addEventListener('abort', stop)
  try {
    await connection.connect()
    if (await isReadOnly(createSql(connection))) throw READ_ONLY
    return { url, host: connection.host, port: connection.port }
  } finally {
    signal.removeEventListener('abort', stop)
    await connection.end().catch(() => {})
  }
}

const READ_ONLY = Object.assign(new Error('no host of DATABASE_URL accepts writes'), { code: '25006' })

/** Prefers the error for a wrong password to that for a standby, and both to that for a host that does not respond. */
function mostHelpful(errors: Error[]): Error {
  const ofServers = errors.filter((error) => /^[\dA-Z]{5}$/.test(databaseErrorCode(error) ?? ''))
  return ofServers.find((error) => error !== READ_ONLY) ?? ofServers[0] ?? errors[0]!
}

/** Returns true for a standby, and for a server whose transactions are read-only by default. */
export async function isReadOnly(sql: Sql): Promise<boolean> {
  const [row] = await sql.rows<'isReadOnly'>`
    SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "readOnly"`
  return row!.readOnly
}
