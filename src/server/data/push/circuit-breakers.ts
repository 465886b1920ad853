import type { Logger } from '../../log.ts'
import { type Answers, type CircuitBreaker, recordAnswers, suspectSince } from '../../push/circuit-breaker.ts'
import type { Counts, Upstream } from '../../push/ports.ts'
import type { Db } from '../postgres/db.ts'
import { type Sql, sqlIn } from '../postgres/sql.ts'
import { enableAgain } from './enable-devices.ts'

/** What the circuit breaker of an upstream says about its suspects. */
export type Verdict = { open: boolean; disabledAt: Date }
export type Verdicts = ReadonlyMap<Upstream, Verdict>

/** Inside the transaction that records the counts, before it locks anything else. */
export type RecordSuspects = (sql: Sql) => Promise<Verdicts>

type Change = { upstream: Upstream; open: boolean; enabledAgain: number }

/** How late other replicas see answers that are no suspects. */
const FLUSH_MS = 2_000

export type CircuitBreakers = ReturnType<typeof createCircuitBreakers>

/**
 * The circuit breakers of all upstreams, in the database for all replicas. Only recordings with suspects write there;
 * other answers are counted here and written along with the next suspects, or every two seconds.
 */
export function createCircuitBreakers(db: Db, log: Logger) {
  /** Answers, none of them a suspect, that the database does not have yet. */
  const unwritten = new Map<Upstream, Answers>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined

  /** Runs `work`, which stores these counts, and counts their answers if it succeeds. */
  async function recording<T>(counts: Counts, work: (record: RecordSuspects) => Promise<T>): Promise<T> {
    const suspected = [...counts.answers].filter(([, { suspects }]) => suspects > 0)
    const result =
      suspected.length === 0
        ? await work(async () => new Map())
        : await write(new Map(suspected), (record) => work(record))
    for (const [upstream, answers] of counts.answers) if (answers.suspects === 0) note(upstream, answers)
    return result
  }

  /** Runs a transaction that writes these answers and the unwritten ones before them. */
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
        return written.verdicts
      })
      for (const change of changes) report(change)
      return result
    } catch (error) {
      for (const [upstream, answers] of earlier) note(upstream, answers)
      throw error
    }
  }

  function note(upstream: Upstream, { answers, accepted, suspects }: Answers): void {
    const noted = unwritten.get(upstream)
    unwritten.set(upstream, {
      answers: answers + (noted?.answers ?? 0),
      accepted: accepted + (noted?.accepted ?? 0),
      suspects: suspects + (noted?.suspects ?? 0),
    })
  }

  function report({ upstream, open, enabledAgain }: Change): void {
    if (open)
      log.error(
        { upstream, enabledAgain },
        'push circuit breaker opened: most answers refuse the device token, so topic, project or environment must be wrong; no device is disabled until pushes are accepted again',
      )
    else log.info({ upstream }, 'push circuit breaker closed: most pushes are accepted again')
  }

  /** Writes what is unwritten. */
  async function flush(): Promise<void> {
    if (unwritten.size === 0) return
    const none = { answers: 0, accepted: 0, suspects: 0 }
    const all = new Map([...unwritten.keys()].map((upstream) => [upstream, none] as const))
    await write(all, (record) => db.$transaction((tx) => record(sqlIn(tx))))
  }

  return {
    recording,

    start(): void {
      timer = setInterval(() => {
        flushing ??= flush()
          .catch((error: unknown) => log.warn({ err: error }, 'could not write what push gateways answered'))
          .finally(() => {
            flushing = undefined
          })
      }, FLUSH_MS).unref()
    },

    async stop(): Promise<void> {
      clearInterval(timer)
      await flushing
    },
  }
}

/** Upstreams whose circuit breaker is open. */
export async function openCircuitBreakers(db: Db): Promise<Upstream[]> {
  const rows = await db.sql.rows<{ upstream: Upstream }>`
    SELECT upstream FROM push_circuit_breakers WHERE open`
  return rows.map(({ upstream }) => upstream)
}

/** For each upstream of `added` its earlier answers, then these. */
async function writeAnswers(
  sql: Sql,
  earlier: ReadonlyMap<Upstream, Answers>,
  added: ReadonlyMap<Upstream, Answers>,
): Promise<{ verdicts: Map<Upstream, Verdict>; changes: Change[] }> {
  const verdicts = new Map<Upstream, Verdict>()
  const changes: Change[] = []
  // Locks the rows, in the same order everywhere.
  const rows = await sql.rows<CircuitBreaker & { upstream: Upstream; now: Date }>`
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
    await sql.run`
      UPDATE push_circuit_breakers SET open = ${breaker.open}, recent = ${JSON.stringify(breaker.recent)}::jsonb
      WHERE upstream = ${upstream}`
    const enabledAgain = since === undefined ? 0 : await enableAgain(sql, upstream, new Date(since))
    if (breaker.open !== before.open) changes.push({ upstream, open: breaker.open, enabledAgain })
    verdicts.set(upstream, { open: breaker.open, disabledAt: new Date(at) })
  }
  return { verdicts, changes }
}
