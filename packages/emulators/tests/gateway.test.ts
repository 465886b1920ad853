import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CoalescedTimers } from '../src/gateway/coalesced-timers.ts'
import { encodedPath, okBlock } from '../src/gateway/http2-frames.ts'
import { parseJws } from '../src/gateway/jws.ts'
import { TokenCounts } from '../src/gateway/token-counts.ts'

describe('counts per device', () => {
  test('agree with a Map for any input', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 3000 }), (tokens) => {
        const counts = new TokenCounts()
        const expected = new Map<string, number>()
        for (const token of tokens) {
          const times = (expected.get(token) ?? 0) + 1
          expected.set(token, times)
          expect(counts.add(token)).toBe(times)
        }
        expect(counts.size).toBe(expected.size)
        for (const [token, times] of expected) expect(counts.get(token)).toBe(times)
      }),
      { numRuns: 30 },
    )
  })

  test('distinguish 300,000 devices', () => {
    const counts = new TokenCounts()
    for (let n = 0; n < 300_000; n++) counts.add(n.toString(16).padStart(64, '0'))
    for (let n = 0; n < 7; n++) counts.add(n.toString(16).padStart(64, '0'))
    expect(counts.histogram()).toEqual({ 1: 299_993, 2: 7 })
    expect(counts.get('0'.repeat(63))).toBe(0)
  })
})

describe('timers of delays', () => {
  test('run each task once, not before its time, and immediately without a delay', async () => {
    const timers = new CoalescedTimers()
    const start = performance.now()
    const early: number[] = []
    let ran = 0
    await Promise.all(
      Array.from({ length: 500 }, (_, n) => {
        const delayMs = n % 50
        return new Promise<void>((resolve) =>
          timers.after(delayMs, () => {
            ran++
            if (performance.now() - start < delayMs - 1) early.push(delayMs)
            resolve()
          }),
        )
      }),
    )
    expect({ ran, early }).toEqual({ ran: 500, early: [] })
  })
})

describe('the path in a header block', () => {
  const literal = (text: string): number[] => [text.length, ...Buffer.from(text)]
  test.each<[string, number[], string | null]>([
    ['first, without indexing', [0x04, ...literal('/a')], '/a'],
    ['with incremental indexing', [0x44, ...literal('/b')], '/b'],
    ['after indexed fields and a table size', [0x3f, 0xe1, 0x1f, 0x83, 0x87, 0x05, ...literal('/c')], '/c'],
    ['after a literal name', [0x40, ...literal('x-y'), ...literal('z'), 0x14, ...literal('/d')], '/d'],
    ['after a name with a long index', [0x0f, 0x2f, ...literal('v'), 0x04, ...literal('/e')], '/e'],
    ['longer than 127 bytes', [0x04, 0x7f, 0x01, ...Buffer.from('/'.repeat(128))], '/'.repeat(128)],
    ['indexed', [0x84, 0x83], null],
    ['cut off', [0x40, 0x05], null],
  ])('is found or not: %s', (_, block, path) => {
    expect(encodedPath(Buffer.from(block))?.toString() ?? null).toBe(path)
  })

  test('a response block contains status 200 and an optional content type', () => {
    expect(okBlock(undefined)).toEqual(Buffer.from([0x88]))
    expect(okBlock('a/b')).toEqual(Buffer.from([0x88, 0x0f, 0x10, 3, ...Buffer.from('a/b')]))
  })
})

test.each(['', 'a.b', 'a.b.c', 'e30.e30.', 'e30.e30.AA.AA', 'WzFd.e30.AA', 'e3 0.e30.AA', 'e30.bnVsbA.AA'])(
  'is not a signed token: %s',
  (text) => {
    expect(parseJws(text)).toBeNull()
  },
)
