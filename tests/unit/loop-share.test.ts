import { expect, test } from 'vitest'
import { createLoopShare, LOOP_BURST_MS, MAX_LOOP_SHARE } from '../../src/server/api/access/loop-share.ts'

const page = () => ({ expectedMs: 10, maxMs: 50 })

/** Starts a share with a clock that only `use`, waiting and tests advance. */
function startShare(isAlone: () => boolean = () => false) {
  const clock = { now: 0, active: 0 }
  const share = createLoopShare({
    isAlone,
    now: () => clock.now,
    activeMs: () => clock.active,
    sleep: async (ms) => {
      clock.now += ms
    },
  })
  /** Uses the loop for this time, and returns the time that the address waited before. */
  const use = async (address: string, ms: number, isKnown = false) => {
    const before = clock.now
    await share.turn(address)
    const waitedMs = clock.now - before
    const used = share.begin(address, page())
    clock.now += ms
    clock.active += ms
    used.end(isKnown)
    return waitedMs
  }
  return { share, clock, use }
}

test('an address that always has requests gets its burst, then its share of the event loop', async () => {
  const { use, clock } = startShare()
  let used = 0
  for (; (await use('a', 10)) === 0; used += 10);
  expect(used).toBeGreaterThanOrEqual(LOOP_BURST_MS)
  expect(used).toBeLessThan(2 * LOOP_BURST_MS)
  const from = clock.now
  for (let n = 0; n < 100; n++) await use('a', 10)
  expect((100 * 10) / (clock.now - from)).toBeCloseTo(MAX_LOOP_SHARE)
})

test('neither other addresses nor known callers wait, and an idle address gets its burst again', async () => {
  const { use, clock } = startShare()
  for (let n = 0; n < 100; n++) await use('a', 10)
  expect(await use('b', 10)).toBe(0)
  for (let n = 0; n < 1_000; n++) expect(await use('known', 10, true)).toBe(0)
  clock.now += 60_000
  expect(await use('a', 10)).toBe(0)
})

test('a lone address does not wait, and waits a second at most when others arrive', async () => {
  let alone = true
  const { use } = startShare(() => alone)
  for (let n = 0; n < 1_000; n++) expect(await use('a', 10)).toBe(0)
  alone = false
  expect(await use('a', 10)).toBeLessThanOrEqual(1_000)
})

test('simultaneous requests share the time in which they run, and none is charged more than its maximum', () => {
  const { share, clock } = startShare()
  const both = ['a', 'b'].map((address) => share.begin(address, page()))
  clock.active += 40
  for (const use of both) use.end(false)
  const slow = share.begin('slow', page())
  clock.active += 100_000
  slow.end(false)
  for (const [address, usedMs] of Object.entries({ a: 20, b: 20, slow: page().maxMs })) {
    // Waiting addresses advance it.
    clock.now = 0
    share.charge(address, LOOP_BURST_MS - usedMs)
    expect(share.turn(address), address).toBeUndefined()
    share.charge(address, 1)
    expect(share.turn(address), address).toBeDefined()
  }
})

test('an address also pays for sending its response, once; a known caller does not', () => {
  const { share } = startShare()
  const use = share.begin('a', page())
  use.end(false, LOOP_BURST_MS)
  use.end(false, LOOP_BURST_MS)
  expect(share.turn('a')).toBeUndefined()
  share.charge('a', 1)
  expect(share.turn('a')).toBeDefined()
  share.begin('known', page()).end(true, 2 * LOOP_BURST_MS)
  expect(share.turn('known')).toBeUndefined()
})
