import { cpus } from 'node:os'
import type pg from 'pg'
import { type CallCost, callsOnOneMachine, fleetOf } from './capacity.model.ts'
import { startEnvironment } from './environment.ts'
import { growTo } from './growth.ts'
import { round } from './load.ts'
import type { BenchReport, Report } from './report.ts'
import { run as scale } from './scale.ts'

const ROWS = 200_000
const REPLICAS = [1, 10, 100]
const DATABASE = { processors: 16, maxConnections: 1_000 }
/** Tables whose size the number of users, files, devices or messages determines. */
const TABLES = ['users', 'files', 'devices', 'sessions', 'push_messages', 'audit_entries']
/** The measured rates must be within this factor of the model's. */
const TOLERANCE = 0.3

type Row = Report['rows'][number]

/**
 * Computes what a deployment costs: calls per second of 1, 10 and 100 replicas with their first bottleneck, and bytes per
 * million rows. Checks the model against 1, 2 and 4 replicas on this machine. Argument: seconds per round of `scale`.
 */
export async function run(args: string[]): Promise<BenchReport> {
  const measured = await scale(args)
  const costs = new Map<Row, CallCost>(measured.rows.map((row) => [row, costOf(row)]))
  const checks = measured.rows.map((row) => {
    const replicas = Number(row.replicas)
    const predicted = callsOnOneMachine(costs.get(row)!, replicas, cpus().length)
    return {
      call: row.call!,
      replicas,
      'per second': row['per second']!,
      'per second by the model': Math.round(predicted),
      'measured of model': round(Number(row['per second']) / predicted),
    }
  })
  const singles = measured.rows.filter((row) => row.replicas === 1)
  const fleets = singles.flatMap((row) =>
    REPLICAS.map((replicas) => {
      const fleet = fleetOf(costs.get(row)!, replicas, DATABASE)
      return {
        call: row.call!,
        replicas,
        'calls per second': Math.round(fleet.callsPerSecond),
        'PostgreSQL processors': round(fleet.postgresProcessors, 1),
        'transactions per second': Math.round(fleet.callsPerSecond * Number(row['transactions a call'])),
        connections: fleet.connections,
        'first bottleneck': fleet.firstBottleneck,
      }
    }),
  )
  const isOff = checks.some((check) => Math.abs(1 - check['measured of model']) > TOLERANCE)
  return {
    rows: fleets,
    noise: measured.noise,
    notes: [
      `Each replica has its own machine with one processor. They share one PostgreSQL with ${DATABASE.processors} processors and ${DATABASE.maxConnections} connections. Connection counts are for an update, when old and new replicas overlap.`,
      'CPU per call is measured with one replica in this run. The model assumes processors, disks and network as fast as those of this machine, and commits that wait for the disk.',
    ],
    more: [
      {
        rows: checks,
        notes: [
          `The model on this machine, where client, nginx, replicas and PostgreSQL share ${cpus().length} processors (target: within ${TOLERANCE * 100}%).`,
        ],
        failed: isOff,
      },
      {
        rows: await sizes(),
        notes: [`Measured with ${ROWS} rows per table (users: ${ROWS / 10}), indexes included.`],
      },
    ],
  }
}

function costOf(row: Row): CallCost {
  const micros = (name: string) => Number(row[`${name} µs`])
  return {
    client: micros('client'),
    replicas: micros('replicas'),
    PostgreSQL: micros('PostgreSQL'),
    nginx: micros('nginx'),
  }
}

/** Returns the size of a million rows of each table. */
async function sizes(): Promise<Row[]> {
  await using closing = new AsyncDisposableStack()
  const environment = await startEnvironment()
  closing.defer(environment.close)
  await growTo(environment.db, ROWS)
  return Promise.all(TABLES.map((table) => sizeOf(environment.db, table)))
}

async function sizeOf(db: pg.Pool, table: string): Promise<Row> {
  const { rows } = await db.query<{ bytes: string; indexes: string; count: string }>(
    `SELECT pg_total_relation_size($1::regclass) AS bytes, pg_indexes_size($1::regclass) AS indexes,
       (SELECT reltuples FROM pg_class WHERE oid = $1::regclass) AS count`,
    [table],
  )
  const { bytes, indexes, count } = rows[0]!
  const perMillion = (size: string) => Math.round((Number(size) / Number(count)) * 1e6) / 2 ** 20
  return {
    table,
    'MB per million rows': Math.round(perMillion(bytes)),
    'of which indexes': Math.round(perMillion(indexes)),
  }
}
