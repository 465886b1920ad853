import { expect, test } from 'vitest'
import { Outages } from '../../src/server/domain/push/delivery/outages.ts'

test('the first response after an outage ends it, and later ones change nothing', () => {
  const outages = new Outages([])
  expect(outages.end('ios', 0)).toBe(false)
  outages.begin('ios', 1_000)
  outages.begin('ios', 2_500)
  expect(outages.end('android', 3_000)).toBe(false)
  expect(outages.end('ios', 3_000)).toBe(true)
  expect(outages.end('ios', 4_000)).toBe(false)
})

test('the first success resumes what waited before this process started', () => {
  const outages = new Outages(['ios'])
  expect(outages.end('ios', 0)).toBe(true)
})

test('one failing device among others that succeed is not an outage', () => {
  const outages = new Outages([])
  for (let now = 0; now < 60_000; now += 100) {
    outages.begin('ios', now)
    expect(outages.end('ios', now + 50)).toBe(false)
  }
})

test('an unavailable gateway is tried every five seconds', () => {
  const outages = new Outages([])
  outages.begin('ios', 0)
  const tried = []
  for (let now = 0; now <= 12_000; now += 500) if (outages.takeProbes(now).includes('ios')) tried.push(now)
  expect(tried).toEqual([0, 5_000, 10_000])
  outages.end('ios', 12_000)
  expect(outages.takeProbes(20_000)).toEqual([])
})
