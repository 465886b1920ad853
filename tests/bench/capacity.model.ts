/** CPU per call in µs, measured with one replica or several. */
export type CallCost = { client: number; replicas: number; PostgreSQL: number; nginx: number }

/** Maximum PostgreSQL connections of one replica (docs/operations.md). */
export const CONNECTIONS_PER_REPLICA = 38
const MICROS = 1e6

/**
 * Returns the calls per second that `processors` shared by client, replicas, PostgreSQL and nginx allow. A replica uses at
 * most one of them.
 */
export function callsOnOneMachine(cost: CallCost, replicas: number, processors: number): number {
  const total = cost.client + cost.replicas + cost.PostgreSQL + cost.nginx
  return Math.min((processors * MICROS) / total, (replicas * MICROS) / cost.replicas)
}

export type Fleet = {
  callsPerSecond: number
  /** Processors that PostgreSQL needs for these calls. */
  postgresProcessors: number
  connections: number
  firstBottleneck: 'replicas' | 'PostgreSQL' | 'connections'
}

/** A deployment's PostgreSQL: its processors, and its `max_connections` without a pooler. */
export type Database = { processors: number; maxConnections: number }

/**
 * Returns the limits of replicas on their own machines, one processor each, in front of one PostgreSQL. The CPU per call
 * must be that of one busy replica, because each replica of a busy fleet shares statements as it does.
 */
export function fleetOf(cost: CallCost, replicas: number, database: Database): Fleet {
  const byReplicas = (replicas * MICROS) / cost.replicas
  const byPostgres = (database.processors * MICROS) / cost.PostgreSQL
  const callsPerSecond = Math.min(byReplicas, byPostgres)
  // Twice, because replicas overlap during updates.
  const connections = replicas * CONNECTIONS_PER_REPLICA * 2
  return {
    callsPerSecond,
    postgresProcessors: (callsPerSecond * cost.PostgreSQL) / MICROS,
    connections,
    firstBottleneck:
      connections > database.maxConnections
        ? 'connections'
        : byPostgres < byReplicas
          ? 'PostgreSQL'
          : 'replicas',
  }
}
