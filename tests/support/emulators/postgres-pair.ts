// A PostgreSQL primary with a synchronous streaming replica, and what Patroni does at a failover. The npm package has no
// pg_basebackup, so copies are made with PostgreSQL's low-level backup API.

import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from '@pigeonhole/emulators/postgres'
import pg from 'pg'
import { until } from '../until.ts'

export type PostgresNode = { server: PostgresServer; dir: string }

/** Starts a server in a new folder below `parent`. */
export async function startPrimary(parent: string): Promise<PostgresNode> {
  const dir = mkdtempSync(join(parent, 'node-'))
  return { server: await startPostgres({ dir, fast: true }), dir }
}

/** Copies the primary to a new folder and starts it as a streaming replica. Does not stop the primary. */
export async function startReplica(primary: PostgresNode, parent: string): Promise<PostgresNode> {
  const dir = mkdtempSync(join(parent, 'node-'))
  await copyData(primary, dir)
  return { server: await startPostgres({ dir, fast: true }), dir }
}

/** Replaces the data of a killed server by a copy of the primary's, and starts it as a replica on its port. */
export async function returnAsReplica(old: PostgresNode, primary: PostgresNode): Promise<void> {
  rmSync(join(old.dir, 'data'), { recursive: true })
  await copyData(primary, old.dir)
  await old.server.restart()
}

/** Makes every commit wait until a replica has it, or stops waiting. Waits until the setting is in effect. */
export async function setSynchronous(primary: PostgresServer, on: boolean): Promise<void> {
  await withClient(primary.url(), async (client) => {
    await client.query(`ALTER SYSTEM SET synchronous_standby_names = '${on ? '*' : ''}'`)
    await client.query('SELECT pg_reload_conf()')
    await until('the setting is in effect', async () => {
      const { rows } = await client.query(
        "SELECT current_setting('synchronous_standby_names') AS names, (SELECT count(*)::int FROM pg_stat_replication WHERE sync_state = 'sync') AS replicas",
      )
      return on ? rows[0].replicas === 1 : rows[0].names === ''
    })
  })
}

/** Resolves when the replica accepts writes. */
export async function promote(replica: PostgresServer): Promise<void> {
  await withClient(replica.url(), async (client) => {
    await client.query('SELECT pg_promote(true, 60)')
    await until('the replica is promoted', async () => {
      const { rows } = await client.query('SELECT pg_is_in_recovery() AS standby')
      return rows[0].standby === false
    })
  })
}

async function copyData(from: PostgresNode, dir: string): Promise<void> {
  const data = join(dir, 'data')
  await withClient(from.server.url(), async (client) => {
    await client.query("SELECT pg_backup_start('copy', fast => true)")
    const run = spawnSync('cp', ['-a', join(from.dir, 'data'), join(from.dir, 'password'), dir])
    // Files that PostgreSQL removes meanwhile are restored from its log.
    if (run.status !== 0 && !String(run.stderr).includes('No such file')) throw new Error(String(run.stderr))
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)')
    writeFileSync(join(data, 'backup_label'), rows[0].labelfile)
  })
  rmSync(join(data, 'postmaster.pid'), { force: true })
  for (const name of readdirSync(join(data, 'pg_wal')))
    rmSync(join(data, 'pg_wal', name), { recursive: true })
  for (const name of MADE) mkdirSync(join(data, 'pg_wal', name))
  const { port, password } = new URL(from.server.url())
  writeFileSync(join(data, 'standby.signal'), '')
  // It must not wait for a replica of its own when it is promoted.
  writeFileSync(
    join(data, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres password=${password}'\n`,
  )
  const { uid, gid } = statSync(join(data, 'PG_VERSION'))
  for (const name of [...MADE.map((folder) => `pg_wal/${folder}`), 'backup_label', 'standby.signal'])
    chownSync(join(data, name), uid, gid)
}

/** Folders of the log, which PostgreSQL expects. */
const MADE = ['archive_status', 'summaries']

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
