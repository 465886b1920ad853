import { isDatabaseUnavailable } from './errors.ts'

/** Maximum items per statement, which then takes a few milliseconds. */
const MAX_ITEMS = 100
/** Maximum simultaneous statements. Later calls wait and share the next one, so batches grow with the load. */
const MAX_RUNNING = 4

type Waiting<Item, Result> = {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Combines the calls of one event loop turn into one statement. Most of a statement's cost is the trip through two
 * sockets, and one commit waits for the disk once instead of once for each call. A single call starts in the same
 * turn. `run` returns the results in the order of its items.
 *
 * A failed batch runs again item by item, so a value that the database rejects fails only its own call. `run` must
 * therefore be one statement or transaction, which changes nothing if it fails.
 */
export function createBatch<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  maxRunning = MAX_RUNNING,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let running = 0
  let scheduled = false

  function schedule(): void {
    if (scheduled || waiting.length === 0 || running >= maxRunning) return
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
      else if (maxRunning === 1) for (const one of batch) await start([one])
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

/** Batches of the items with the same key, which lock the same row: one transaction at a time. The next one has those that wait. */
export function createBatches<Item, Result>(
  keyOf: (item: Item) => string,
  run: (items: Item[]) => Promise<Result[]>,
): (item: Item) => Promise<Result> {
  const batches = new Map<string, { add(item: Item): Promise<Result>; unfinished: number }>()
  return async (item) => {
    const key = keyOf(item)
    const batch = batches.get(key) ?? { add: createBatch(run, 1), unfinished: 0 }
    batches.set(key, batch)
    batch.unfinished++
    try {
      return await batch.add(item)
    } finally {
      batch.unfinished--
      if (batch.unfinished === 0) batches.delete(key)
    }
  }
}
