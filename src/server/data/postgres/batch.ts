import { isDatabaseUnavailable } from './is-database-unavailable.ts'

/** Items of one statement; it takes a few milliseconds then. */
const MAX_ITEMS = 100
/** Statements at once. What comes meanwhile waits and goes together: the busier, the larger the batches. */
const MAX_RUNNING = 4

type Waiting<Item, Result> = {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Joins calls that come in one turn of the event loop into one statement: of a statement's cost most is its way
 * through two sockets, and a commit waits for the disk once instead of once for each call. A call by itself starts
 * in the same turn. `run` returns the results in the order of its items.
 *
 * What fails by itself (a value that the database does not take) fails alone: a batch that failed is run again item by
 * item, so `run` must be one statement, which has then changed nothing.
 */
export function createBatch<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let running = 0
  let scheduled = false

  function schedule(): void {
    if (scheduled || waiting.length === 0 || running >= MAX_RUNNING) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      void start(waiting.splice(0, MAX_ITEMS))
      schedule()
    })
  }

  async function start(batch: Waiting<Item, Result>[]): Promise<void> {
    running++
    try {
      const results = await run(batch.map(({ item }) => item))
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]!)
    } catch (error) {
      if (batch.length === 1 || isDatabaseUnavailable(error)) for (const { reject } of batch) reject(error)
      else await Promise.all(batch.map((one) => start([one])))
    } finally {
      running--
      schedule()
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
}
