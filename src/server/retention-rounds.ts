import { jittered } from './backoff.ts'

/** Rows of one statement, so that none runs long or holds many locks. */
const BATCH_SIZE = 2_000
/** After the start. */
const FIRST_MS = 60_000

/** Repeats a statement, which does at most `limit` rows, until it finds no more; returns how many rows in all. */
export type InBatches = (work: (limit: number) => Promise<number>) => Promise<number>

export type RetentionRoundsDeps<T> = {
  everyMs: number
  /** One round. Replicas that work at the same time must skip each other's rows. */
  work: (inBatches: InBatches) => Promise<T>
  onDone?: (result: T) => void
  /** A round failed; the next one comes all the same. */
  onError: (error: unknown) => void
}

/** What every replica does with old rows again and again, about `everyMs` apart. */
export function createRetentionRounds<T>({ everyMs, work, onDone, onError }: RetentionRoundsDeps<T>) {
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> | undefined
  let closing = false

  const inBatches: InBatches = async (doSome) => {
    let total = 0
    while (!closing) {
      const done = await doSome(BATCH_SIZE)
      total += done
      if (done < BATCH_SIZE) break
    }
    return total
  }

  const run = () => work(inBatches)

  function schedule(delayMs: number): void {
    timer = setTimeout(() => {
      round = run()
        .then(onDone, onError)
        .finally(() => {
          if (!closing) schedule(jittered(everyMs))
        })
    }, delayMs).unref()
  }

  return {
    /** One round at once. */
    run,
    start: () => schedule(jittered(FIRST_MS)),
    /** Ends after the statement in progress. */
    async close(): Promise<void> {
      closing = true
      clearTimeout(timer)
      await round
    },
  }
}
