// Deleting with Undo: nothing is sent too early, twice for no reason, or never.

import { describe, expect, test, vi } from 'vitest'
import {
  createDeletionQueue,
  type DeletionNote,
  type DeletionResult,
} from '../../src/ui/files/deletion/deletion-queue.ts'
import { sendDeletion } from '../../src/ui/files/deletion/send-deletion.ts'

const UNDO_MS = 10_000

/** A queue with fake time and a server that answers when told; `left`: the notes of a page before. */
function start({ left = [], fail = [] }: { left?: DeletionNote[]; fail?: string[] } = {}) {
  vi.useFakeTimers()
  const sent: string[] = []
  const results: DeletionResult[] = []
  const sentWhileLeaving: string[][] = []
  let note: DeletionNote = { waiting: [], sending: [] }
  const queue = createDeletionQueue({
    send: async (id) => {
      sent.push(id)
      if (fail.includes(id)) throw new Error(`no ${id}`)
    },
    sendWhileLeaving: (ids) => sentWhileLeaving.push(ids),
    notes: { save: (saved) => (note = saved), takeOver: async () => left.splice(0) },
    undoMs: UNDO_MS,
    onResult: (result) => results.push(result),
  })
  return {
    queue,
    sent,
    results,
    sentWhileLeaving,
    note: () => note,
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    [Symbol.dispose]: () => vi.useRealTimers(),
  }
}

describe('deletions', () => {
  test('are sent when the time for undoing is over, not before; the files are hidden from the start', async () => {
    using page = start()
    page.queue.add(['a', 'b'])
    expect([...page.queue.getSnapshot().hidden]).toEqual(['a', 'b'])
    expect(page.note()).toEqual({ waiting: ['a', 'b'], sending: [] })
    await page.pass(UNDO_MS - 1)
    expect(page.sent).toEqual([])
    await page.pass(1)
    expect(page.sent).toEqual(['a', 'b'])
    expect(page.results).toMatchObject([{ deleted: ['a', 'b'], failed: [] }])
    expect(page.queue.getSnapshot()).toMatchObject({ waiting: 0, sending: 0 })
    expect(page.note()).toEqual({ waiting: [], sending: [] })
  })

  test('undo brings all waiting files back, and nothing is ever sent', async () => {
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

  test('the time stands still while somebody is at the button, and begins again afterwards', async () => {
    using page = start()
    page.queue.add(['a'])
    page.queue.hold(true)
    await page.pass(10 * UNDO_MS)
    expect(page.sent).toEqual([])
    page.queue.hold(false)
    await page.pass(UNDO_MS)
    expect(page.sent).toEqual(['a'])
  })

  test('what the server refuses is shown again, and told with its reason', async () => {
    using page = start({ fail: ['b'] })
    page.queue.add(['a', 'b', 'c'])
    await page.queue.deleteNow()
    expect(page.results).toMatchObject([{ deleted: ['a', 'c'], failed: ['b'], error: new Error('no b') }])
    expect(page.queue.getSnapshot().hidden.size).toBe(0)
  })

  test('leaving the page sends at once, and leaves a note that the next page repeats without asking', async () => {
    using page = start()
    page.queue.add(['a', 'b'])
    page.queue.leave()
    expect(page.sentWhileLeaving).toEqual([['a', 'b']])
    expect(page.note()).toEqual({ waiting: [], sending: ['a', 'b'] })
    await page.pass(10 * UNDO_MS)
    expect(page.sent).toEqual([])

    using next = start({ left: [page.note()] })
    await next.queue.resume()
    await next.pass(0)
    expect(next.sent).toEqual(['a', 'b'])
  })

  test('after a crash the next page begins the time for undoing again', async () => {
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
  const refused = (code: string) => Object.assign(new Error(code), { code })
  /** Fails with these codes, then succeeds; returns how often it was called and how often it waited. */
  async function attempt(...codes: string[]) {
    const count = { sent: 0, waited: 0 }
    await sendDeletion(
      async () => {
        const code = codes[count.sent++]
        if (code) throw refused(code)
      },
      async () => count.waited++,
    )
    return count
  }

  test('a file that is gone is deleted', async () => {
    expect(await attempt('NOT_FOUND')).toEqual({ sent: 1, waited: 0 })
  })
  test('too many calls wait and go on', async () => {
    expect(await attempt('TOO_MANY_REQUESTS', 'TOO_MANY_REQUESTS')).toEqual({ sent: 3, waited: 2 })
  })
  test('a fault of the server is tried once more, then told', async () => {
    expect(await attempt('INTERNAL_SERVER_ERROR')).toEqual({ sent: 2, waited: 0 })
    await expect(attempt('INTERNAL_SERVER_ERROR', 'INTERNAL_SERVER_ERROR')).rejects.toThrow('INTERNAL')
  })
  test.each(['UNAUTHORIZED', 'FORBIDDEN'])('%s is told at once', async (code) => {
    await expect(attempt(code)).rejects.toThrow(code)
  })
})
