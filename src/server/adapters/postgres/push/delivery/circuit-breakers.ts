import {
  type Answers,
  type CircuitBreaker,
  recordAnswers,
  suspectSince,
} from '../../../../domain/push/delivery/circuit-breaker.ts'
import type { Upstream } from '../../../../domain/push/delivery/upstream.ts'
import {
  type Counts,
  noAnswers,
  sumAnswers,
  suspectedAnswers,
} from '../../../../domain/push/messages/counts.ts'
import type { Logger } from '../../../../kernel/log.ts'
import { createSweepRounds } from '../../../../kernel/sweep-rounds.ts'
import type { Db } from '../../db.ts'
import type { Sql } from '../../sql.ts'
import { enableAgain } from '../devices/enable-devices.ts'

/** State of an upstream's circuit breaker, and the time at which its suspects are disabled. */
type BreakerState = { open: boolean; disabledAt: Date }
export type BreakerStates = ReadonlyMap<Upstream, BreakerState>

/** Runs in the transaction that records the counts, before it locks anything else. */
export type RecordSuspects = (sql: Sql) => Promise<BreakerStates>

type Change = { upstream: Upstream; open: boolean; enabledAgain: number }

/** Delay until other replicas see results without suspects. */
const FLUSH_MS = 2_000

export type CircuitBreakers = ReturnType<typeof createCircuitBreakers>

/**
 * Keeps the circuit breakers of all upstreams in the database, which all replicas share. Only results with suspects are
 * written there at once. Other results are counted in memory and written with the next suspects, or every two seconds.
 */
export function createCircuitBreakers(db: Db, log: Logger) {
  /** Results without suspects that are not in the database yet. */
  const unwritten = new Map<Upstream, Answers>()

  /** Runs `work`, which stores these counts, and records their results if it succeeds. */
  async function recording<T>(counts: Counts, work: (record: RecordSuspects) => Promise<T>): Promise<T> {
    const suspected = suspectedAnswers(counts)
    const result =
      suspected.size === 0
        ? await work(async () => new Map())
        : await write(suspected, (record) => work(record))
    for (const [upstream, answers] of counts.answers) if (answers.suspects === 0) note(upstream, answers)
    return result
  }

  /** Runs a transaction that writes the unwritten results, then these. */
  async function write<T>(added: Map<Upstream, Answers>, work: (record: RecordSuspects) => Promise<T>) {
    const earlier = new Map<Upstream, Answers>()
    for (const upstream of added.keys()) {
      const noted = unwritten.get(upstream)
      if (noted) earlier.set(upstream, noted)
      unwritten.delete(upstream)
    }
    let changes: Change[] = []
    try {
      const result = await work(async (sql) => {
        const written = await writeAnswers(sql, earlier, added)
        changes = written.changes
        return written.states
      })
      for (const change of changes) report(change)
      return result
    } catch (error) {
      for (const [upstream, answers] of earlier) note(upstream, answers)
      throw error
    }
  }

  function note(upstream: Upstream, answers: Answers): void {
    unwritten.set(upstream, sumAnswers(unwritten.get(upstream) ?? noAnswers(), answers))
  }

  function report({ upstream, open, enabledAgain }: Change): void {
    if (open)
      log.error(
        { upstream, enabledAgain },
        'push circuit breaker opened: most responses reject the device token. Check the topic, project and environment. No device is disabled until pushes are accepted again',
      )
    else log.info({ upstream }, 'push circuit breaker closed: most pushes are accepted again')
  }

  /** Writes the unwritten results. */
  async function flush(): Promise<void> {
    if (unwritten.size === 0) return
    const all = new Map([...unwritten.keys()].map((upstream) => [upstream, noAnswers()] as const))
    await write(all, (record) => db.sqlTransaction(record))
  }

  const rounds = createSweepRounds({
    everyMs: FLUSH_MS,
    firstMs: FLUSH_MS,
    work: flush,
    onError: (err) => log.warn({ err }, 'could not record the results of push gateways'),
  })
  return { recording, start: rounds.start, close: rounds.close }
}

/** Returns the upstreams whose circuit breaker is open. */
export async function openCircuitBreakers(db: Db): Promise<Upstream[]> {
  const rows = await db.sql.rows<'openCircuitBreakers'>`
    SELECT upstream FROM push_circuit_breakers WHERE open`
  return rows.map(({ upstream }) => upstream)
}

/** Records each upstream's earlier results, then the added ones. */
async function writeAnswers(
  sql: Sql,
  earlier: ReadonlyMap<Upstream, Answers>,
  added: ReadonlyMap<Upstream, Answers>,
): Promise<{ states: Map<Upstream, BreakerState>; changes: Change[] }> {
  const states = new Map<Upstream, BreakerState>()
  const changes: Change[] = []
  // Sorted, so that every transaction locks the rows in the same order.
  const rows = await sql.rows<'lockCircuitBreakers'>`
    INSERT INTO push_circuit_breakers (upstream) SELECT unnest(${[...added.keys()].sort()}::text[])
    ON CONFLICT (upstream) DO UPDATE SET upstream = excluded.upstream
    RETURNING upstream, open, recent, clock_timestamp() AS now`
  for (const { upstream, now, ...before } of rows) {
    const at = Math.max(now.getTime(), before.recent[0]?.at ?? 0)
    let breaker: CircuitBreaker = before
    let since: number | undefined
    for (const answers of [earlier.get(upstream), added.get(upstream)]) {
      if (!answers || answers.answers === 0) continue
      const wasOpen = breaker.open
      breaker = recordAnswers(breaker, { ...answers, at })
      if (breaker.open && !wasOpen) since = suspectSince(breaker)
    }
    await sql.run<'updateCircuitBreaker'>`
      UPDATE push_circuit_breakers SET open = ${breaker.open}, recent = ${JSON.stringify(breaker.recent)}::jsonb
      WHERE upstream = ${upstream}`
    const enabledAgain = since === undefined ? 0 : await enableAgain(sql, upstream, new Date(since))
    if (breaker.open !== before.open) changes.push({ upstream, open: breaker.open, enabledAgain })
    states.set(upstream, { open: breaker.open, disabledAt: new Date(at) })
  }
  return { states, changes }
}
