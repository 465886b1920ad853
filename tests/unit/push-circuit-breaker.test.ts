import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Answers,
  type CircuitBreaker,
  recordAnswers,
  suspectSince,
} from '../../src/server/domain/push/delivery/circuit-breaker.ts'

const HOUR_MS = 3_600_000
const closedBreaker = (): CircuitBreaker => ({ open: false, recent: [] })
const accepted = (n: number): Answers => ({ answers: n, accepted: n, suspects: 0 })
const suspects = (n: number): Answers => ({ answers: n, accepted: 0, suspects: n })
const rejected = (n: number): Answers => ({ answers: n, accepted: 0, suspects: 0 })

/** Returns the breaker after these answers, recorded a second apart. */
function breakerAfter(
  history: Answers[],
  before: CircuitBreaker = closedBreaker(),
  startAt = 0,
): CircuitBreaker {
  return history.reduce(
    (state, answers, n) => recordAnswers(state, { ...answers, at: startAt + n * 1000 }),
    before,
  )
}

const times = (n: number, answers: Answers) => Array.from({ length: n }, () => answers)

describe('the circuit breaker', () => {
  test('opens with a majority of suspects in at least 20 responses of one message, not earlier', () => {
    expect(breakerAfter([suspects(19)]).open).toBe(false)
    expect(breakerAfter([suspects(20)]).open).toBe(true)
    expect(breakerAfter([{ answers: 60, accepted: 30, suspects: 30 }]).open).toBe(false)
    expect(breakerAfter([{ answers: 60, accepted: 29, suspects: 31 }]).open).toBe(true)
  })

  test('opens with a majority among the last 20 responses of many messages, however many were accepted before', () => {
    expect(breakerAfter(times(19, suspects(1))).open).toBe(false)
    expect(breakerAfter(times(20, suspects(1))).open).toBe(true)
    expect(breakerAfter([accepted(10_000), ...times(10, suspects(1))]).open).toBe(false)
    expect(breakerAfter([accepted(10_000), ...times(11, suspects(1))]).open).toBe(true)
  })

  test('does not count responses that are more than an hour old', () => {
    const before = breakerAfter(times(15, suspects(1)))
    expect(breakerAfter(times(5, suspects(1)), before, HOUR_MS - 10_000).open).toBe(true)
    expect(breakerAfter(times(5, suspects(1)), before, HOUR_MS + 15_000).open).toBe(false)
  })

  test('stays open while pushes are rejected for other reasons, and closes when a majority is accepted again', () => {
    const open = breakerAfter(times(20, suspects(1)))
    expect(breakerAfter(times(30, rejected(1)), open).open).toBe(true)
    expect(breakerAfter(times(10, accepted(1)), open).open).toBe(true)
    expect(breakerAfter(times(11, accepted(1)), open).open).toBe(false)
    // It closes even with only a few pushes per day.
    const daily = times(11, accepted(1)).reduce(
      (state, answers, n) => recordAnswers(state, { ...answers, at: (n + 1) * 24 * HOUR_MS }),
      open,
    )
    expect(daily.open).toBe(false)
  })

  test('returns the start of the suspects, so that all devices disabled since are enabled again', () => {
    const state = breakerAfter([accepted(1000), suspects(5), accepted(2), suspects(20)])
    expect(state.open).toBe(true)
    expect(suspectSince(state)).toBe(1000)
  })

  test('for any history of single answers, agrees with a count of the last 20', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(accepted(1), suspects(1), suspects(1), rejected(1)), { maxLength: 300 }),
        (history) => {
          let state = closedBreaker()
          let open = false
          for (const [n, answers] of history.entries()) {
            state = recordAnswers(state, { ...answers, at: n })
            const last = history.slice(Math.max(0, n - 19), n + 1)
            const sum = (of: keyof Answers) => last.reduce((total, each) => total + each[of], 0)
            if (last.length === 20) open = open ? sum('accepted') <= 10 : sum('suspects') > 10
            expect(state.open).toBe(open)
          }
        },
      ),
    ))

  const anyAnswers = fc
    .tuple(fc.nat(500), fc.nat(500), fc.nat(500))
    .map(([a, s, r]) => ({ answers: a + s + r, accepted: a, suspects: s }))
    .filter(({ answers }) => answers > 0)

  test('for any history, never opens on few or minority answers, always on a wrong configuration, and stays small', () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyAnswers, fc.nat(HOUR_MS)), { maxLength: 120 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 20, maxLength: 25 }),
        (history, wrong) => {
          let state = closedBreaker()
          let at = 0
          for (const [answers, waitMs] of history) {
            at += waitMs
            const next = recordAnswers(state, { ...answers, at })
            if (answers.answers >= 20) {
              if (answers.suspects * 2 > answers.answers) expect(next.open).toBe(true)
              if (answers.accepted * 2 > answers.answers) expect(next.open).toBe(false)
            }
            if (next.open && !state.open) expect(suspectSince(next)).toBeLessThanOrEqual(at)
            // Convert it as PostgreSQL stores it.
            state = JSON.parse(JSON.stringify(next))
            expect(state).toEqual(next)
          }
          for (const n of wrong) state = recordAnswers(state, { ...suspects(n), at: ++at })
          expect(state.open).toBe(true)
          expect(state.recent.length).toBeLessThanOrEqual(50)
          for (const n of wrong) state = recordAnswers(state, { ...accepted(n), at: ++at })
          expect(state.open).toBe(false)
        },
      ),
    ))
})
