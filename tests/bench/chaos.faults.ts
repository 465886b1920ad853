// The faults of the chaos benchmark, which occur one after another.

import type { FaultRule } from '@pigeonhole/emulators/s3'
import type pg from 'pg'
import type { ChaosEnvironment } from './chaos.environment.ts'

/** `run` causes the fault and returns after it has ended. */
export type ChaosFault = { what: string; run(): Promise<void> }

const DURATION_MS = 20_000

const RESETS: FaultRule = { probability: 0.1, action: { kind: 'drop', point: 'after' } }

export function faultsOf(
  environment: ChaosEnvironment,
  db: pg.Pool,
  onExit: (code: number | null) => void,
): ChaosFault[] {
  const { postgres, database, store, stack } = environment
  const lasting = (
    what: string,
    begin: () => unknown,
    end: () => unknown,
    lastsMs = DURATION_MS,
  ): ChaosFault => ({
    what,
    async run() {
      await begin()
      await new Promise((resolve) => setTimeout(resolve, lastsMs))
      await end()
    },
  })
  const silent = (what: string, { faults }: Pick<typeof stack.apns, 'faults'>) =>
    lasting(
      `${what} is silent`,
      () => faults.set({ hold: true }),
      () => faults.set({ hold: false }),
    )

  return [
    { what: 'database restarts', run: () => postgres.restart() },
    {
      what: 'existing database connections go silent, new ones work',
      run: async () => database.silence('existing'),
    },
    lasting(
      'database is stopped',
      () => database.silence('all'),
      () => database.resume(),
      2 * DURATION_MS,
    ),
    lasting(
      "database's disk is full",
      () => db.query(FILL_DISK),
      () => db.query(FREE_DISK),
    ),
    lasting(
      'store is unavailable',
      () => stack.s3.down(),
      () => stack.s3.up(),
    ),
    lasting(
      'store is silent',
      () => store.silence('all'),
      () => store.resume(),
    ),
    lasting(
      'store resets a tenth of its connections',
      () => stack.s3.faults.add(RESETS),
      () => stack.s3.faults.reset(),
    ),
    silent('APNs', stack.apns),
    silent('FCM', stack.fcm),
    lasting(
      'replica is suspended',
      () => environment.signal(0, 'SIGSTOP'),
      () => environment.signal(0, 'SIGCONT'),
    ),
    { what: 'replica is killed', run: () => environment.kill(0) },
    {
      what: 'replicas restart in turn',
      async run() {
        for (const index of [0, 1]) onExit(await environment.restart(index))
      },
    },
  ]
}

/** Makes writes fail as if PostgreSQL's disk were full. Reads still work. */
const FILL_DISK = `
  CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
  CREATE TRIGGER disk_full BEFORE INSERT OR UPDATE ON files FOR EACH ROW EXECUTE FUNCTION disk_full();
  CREATE TRIGGER disk_full BEFORE INSERT OR UPDATE ON push_messages FOR EACH ROW EXECUTE FUNCTION disk_full();
  CREATE TRIGGER disk_full BEFORE INSERT OR UPDATE ON rate_limits FOR EACH ROW EXECUTE FUNCTION disk_full()`
const FREE_DISK = 'DROP FUNCTION disk_full() CASCADE'
