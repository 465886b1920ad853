import { jittered } from './backoff.ts'

/** Maximum number of rows per statement, so that none runs long or holds many locks. */
const BATCH_SIZE = 2_000
const FIRST_MS = 60_000

/** Repeats a statement that handles at most `limit` rows until it finds no more. Returns the total number of rows. */
export type InBatches = (work: (limit: number) => Promise<number>) => Promise<number>

/**
 * Runs steps one after another and returns how many rows each handled. A step that fails does not keep the others from
 * running; the first error is thrown at the end.
 */
export async function runSteps<Name extends string>(
  steps: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number>> {
  const counts: [string, number][] = []
  const errors: unknown[] = []
  for (const [name, step] of Object.entries<() => Promise<number>>(steps))
    try {
      counts.push([name, await step()])
    } catch (error) {
      errors.push(error)
    }
  if (errors.length > 0) throw errors[0]
  return Object.fromEntries(counts) as Record<Name, number>
}

type SweepRoundsOptions<T> = {
  everyMs: number
  /** Time from the start to the first round. Default: a minute. */
  firstMs?: number
  /** Runs one round. Replicas that work at the same time must skip each other's rows. */
  work: (inBatches: InBatches) => Promise<T>
  onDone?: (result: T) => void
  /** Called after a failed round. The next round runs anyway. */
  onError: (error: unknown) => void
}

/** Runs background work, such as a cleanup, repeatedly, about every `everyMs`, in each replica. */
export function createSweepRounds<T>(options: SweepRoundsOptions<T>) {
  const { everyMs, firstMs = FIRST_MS, work, onDone, onError } = options
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

  /** Runs one round now. */
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
    inBatches,
    run,
    start: () => schedule(jittered(firstMs)),
    /** Waits for the statement in progress, then ends the round. */
    async close(): Promise<void> {
      closing = true
      clearTimeout(timer)
      await round
    },
  }
}
