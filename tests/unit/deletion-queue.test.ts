// Deletion with Undo: nothing is sent too early, twice without a reason, or never.

import { describe, expect, test, vi } from 'vitest'
import {
  createDeletionQueue,
  type DeletionResult,
  type JournalEntry,
} from '../../src/ui/files/deletion/deletion-queue.ts'
import { sendDeletion } from '../../src/ui/files/deletion/send-deletion.ts'

const UNDO_MS = 10_000

/** Starts a queue with fake time and a server that the test controls. `left`: journal entries of closed pages. */
function start({ left = [], fail = [] }: { left?: JournalEntry[]; fail?: string[] } = {}) {
  vi.useFakeTimers()
  const sent: string[] = []
  const results: DeletionResult[] = []
  const sentOnUnload: string[][] = []
  let entry: JournalEntry = { waiting: [], sending: [] }
  const queue = createDeletionQueue({
    send: async (id) => {
      sent.push(id)
      if (fail.includes(id)) throw new Error(`no ${id}`)
    },
    sendOnUnload: (ids) => sentOnUnload.push(ids),
    journal: { save: (saved) => (entry = saved), takeOver: async () => left.splice(0) },
    undoMs: UNDO_MS,
    onResult: (result) => results.push(result),
  })
  return {
    queue,
    sent,
    results,
    sentOnUnload,
    entry: () => entry,
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    [Symbol.dispose]: () => vi.useRealTimers(),
  }
}

describe('deletions', () => {
  test('are sent when the undo period ends, not earlier, while the files are hidden at once', async () => {
    using page = start()
    page.queue.add(['a', 'b'])
    expect([...page.queue.getSnapshot().hidden]).toEqual(['a', 'b'])
    expect(page.entry()).toEqual({ waiting: ['a', 'b'], sending: [] })
    await page.pass(UNDO_MS - 1)
    expect(page.sent).toEqual([])
    await page.pass(1)
    expect(page.sent).toEqual(['a', 'b'])
    expect(page.results).toMatchObject([{ deleted: ['a', 'b'], failed: [] }])
    expect(page.queue.getSnapshot()).toMatchObject({ waiting: 0, sending: 0 })
    expect(page.entry()).toEqual({ waiting: [], sending: [] })
  })

  test('are never sent after undo, which restores all waiting files', async () => {
    using page = start()
    page.queue.add(['a'])
    await page.pass(UNDO_MS - 1)
    page.queue.add(['b'])
    await page.pass(UNDO_MS - 1)
    expect(page.queue.undo()).toBe(2)
    expect(page.queue.getSnapshot().hidden.size).toBe(0)
    await page.pass(10 * UNDO_MS)
    expect(page.sent).toEqual([])
  })

  test('wait while the user points at or focuses the button; the time restarts afterwards', async () => {
    using page = start()
    page.queue.add(['a'])
    page.queue.hold(true)
    await page.pass(10 * UNDO_MS)
    expect(page.sent).toEqual([])
    page.queue.hold(false)
    await page.pass(UNDO_MS)
    expect(page.sent).toEqual(['a'])
  })

  test('reappear if the server rejects them, with the reason', async () => {
    using page = start({ fail: ['b'] })
    page.queue.add(['a', 'b', 'c'])
    await page.queue.deleteNow()
    expect(page.results).toMatchObject([{ deleted: ['a', 'c'], failed: ['b'], error: new Error('no b') }])
    expect(page.queue.getSnapshot().hidden.size).toBe(0)
  })

  test('are sent at once when the page is left, and recorded for the next page to repeat', async () => {
    using page = start()
    page.queue.add(['a', 'b'])
    page.queue.leave()
    expect(page.sentOnUnload).toEqual([['a', 'b']])
    expect(page.entry()).toEqual({ waiting: [], sending: ['a', 'b'] })
    await page.pass(10 * UNDO_MS)
    expect(page.sent).toEqual([])

    using next = start({ left: [page.entry()] })
    await next.queue.resume()
    await next.pass(0)
    expect(next.sent).toEqual(['a', 'b'])
  })

  test('can be undone again on the next page after a crash', async () => {
    using page = start({ left: [{ waiting: ['a'], sending: [] }] })
    await page.queue.resume()
    await page.pass(UNDO_MS - 1)
    expect(page.sent).toEqual([])
    expect(page.queue.getSnapshot()).toMatchObject({ waiting: 1 })
    await page.pass(1)
    expect(page.sent).toEqual(['a'])
  })
})

describe('sending one deletion', () => {
  const rejected = (code: string) => Object.assign(new Error(code), { code })
  /** Fails with these codes, then succeeds. Returns the number of calls and of waits. */
  async function attempt(...codes: string[]) {
    const count = { sent: 0, waited: 0 }
    await sendDeletion(
      async () => {
        const code = codes[count.sent++]
        if (code) throw rejected(code)
      },
      async () => count.waited++,
    )
    return count
  }

  test('counts a missing file as deleted', async () => {
    expect(await attempt('NOT_FOUND')).toEqual({ sent: 1, waited: 0 })
  })
  test('waits and continues after too many calls', async () => {
    expect(await attempt('TOO_MANY_REQUESTS', 'TOO_MANY_REQUESTS')).toEqual({ sent: 3, waited: 2 })
  })
  test('retries a server error once, then reports it', async () => {
    expect(await attempt('INTERNAL_SERVER_ERROR')).toEqual({ sent: 2, waited: 0 })
    await expect(attempt('INTERNAL_SERVER_ERROR', 'INTERNAL_SERVER_ERROR')).rejects.toThrow('INTERNAL')
  })
  test.each(['UNAUTHORIZED', 'FORBIDDEN'])('reports %s at once', async (code) => {
    await expect(attempt(code)).rejects.toThrow(code)
  })
})
