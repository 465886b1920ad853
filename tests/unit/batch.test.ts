import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBatch, createBatches } from '../../src/server/adapters/postgres/batch.ts'

test('calls of one turn share a statement, and each gets the result of its own item', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer(), { minLength: 1, maxLength: 250 }), async (items) => {
      const batches: number[] = []
      const twice = createBatch(async (batch: number[]) => {
        batches.push(batch.length)
        return batch.map((n) => n * 2)
      })
      expect(await Promise.all(items.map(twice))).toEqual(items.map((n) => n * 2))
      expect(batches).toHaveLength(Math.ceil(items.length / 100))
    }),
    { numRuns: 20 },
  )
})

test('calls made while four statements run share the next one', async () => {
  const ends: (() => void)[] = []
  const sizes: number[] = []
  const slow = createBatch(async (batch: number[]) => {
    sizes.push(batch.length)
    await new Promise<void>((resolve) => ends.push(resolve))
    return batch
  })
  const calls: Promise<number>[] = []
  for (let n = 0; n < 10; n++) {
    calls.push(slow(n))
    await new Promise(setImmediate)
  }
  expect(sizes).toEqual([1, 1, 1, 1])
  for (let n = 0; n < 4; n++) ends[n]!()
  await Promise.all(calls.slice(0, 4))
  await new Promise(setImmediate)
  expect(sizes).toEqual([1, 1, 1, 1, 6])
  ends[4]!()
  expect(await Promise.all(calls)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('an item that the database rejects fails alone', async () => {
  const run = createBatch(async (batch: string[]) => {
    if (batch.includes('bad')) throw Object.assign(new Error('invalid input'), { code: '22P02' })
    return batch
  })
  const results = await Promise.allSettled(['a', 'bad', 'b'].map(run))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('of a failed batch with a key, each item runs alone and after the one before it', async () => {
  const log: string[] = []
  const add = createBatches(
    () => 'key',
    async (items: string[]) => {
      log.push(`begin ${items}`)
      await new Promise(setImmediate)
      log.push(`end ${items}`)
      if (items.includes('bad')) throw Object.assign(new Error('invalid input'), { code: '22P02' })
      return items
    },
  )
  const results = await Promise.allSettled(['a', 'bad', 'b'].map(add))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(log).toEqual(['a,bad,b', 'a', 'bad', 'b'].flatMap((items) => [`begin ${items}`, `end ${items}`]))
})

test('while the database is unavailable, a batch is tried once and fails as a whole', async () => {
  let runs = 0
  const run = createBatch(async (_: number[]): Promise<number[]> => {
    runs++
    throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })
  })
  const results = await Promise.allSettled([1, 2, 3].map(run))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(runs).toBe(1)
})

test('batches with a key run one at a time for each key, and the next one has all items that waited', async () => {
  const running: { items: string[]; end(): void }[] = []
  const add = createBatches(
    (item: string) => item[0]!,
    async (items) => {
      await new Promise<void>((end) => running.push({ items, end }))
      return items.map((item) => `${item} done`)
    },
  )
  const calls = ['a1', 'b1'].map(add)
  await new Promise(setImmediate)
  calls.push(...['a2', 'a3', 'b2'].map(add))
  await new Promise(setImmediate)
  expect(running.map(({ items }) => items)).toEqual([['a1'], ['b1']])
  running[0]!.end()
  expect(await calls[0]).toBe('a1 done')
  await new Promise(setImmediate)
  expect(running.map(({ items }) => items)).toEqual([['a1'], ['b1'], ['a2', 'a3']])
  running[1]!.end()
  await calls[1]
  await new Promise(setImmediate)
  for (const { end } of running) end()
  expect(await Promise.all(calls)).toEqual(['a1', 'b1', 'a2', 'a3', 'b2'].map((item) => `${item} done`))
})
