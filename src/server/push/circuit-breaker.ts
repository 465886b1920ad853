import type { Counts, Platform } from './ports.ts'

/** What one gateway has answered for a message so far. */
export type CircuitBreaker = {
  answers: number
  suspects: number
  /** Devices that the message disabled, counted as removed. */
  disabled: number
  /** Stays open: suspects of this message count as failed, and their devices are not disabled. */
  open: boolean
}

export type CircuitBreakers = Record<Platform, CircuitBreaker>

/** Fewer answers than this say nothing about our configuration. */
const MIN_ANSWERS = 50

const closed = (): CircuitBreaker => ({ answers: 0, suspects: 0, disabled: 0, open: false })

export function closedBreakers(): CircuitBreakers {
  return { ios: closed(), android: closed() }
}

/**
 * Adds the counts' answers. When suspects are the majority of 50 or more answers of a gateway, the fault is ours
 * (topic, project, environment) and its breaker opens. It stays open: devices that were reached before the mistake
 * was made say nothing about the rest.
 */
export function recordAnswers(before: CircuitBreakers, counts: Counts): CircuitBreakers {
  const after = closedBreakers()
  for (const platform of ['ios', 'android'] as const) {
    const suspects =
      before[platform].suspects + counts.suspects.filter((s) => s.recipient.platform === platform).length
    const answers = before[platform].answers + counts.answers[platform]
    const open = before[platform].open || (answers >= MIN_ANSWERS && suspects * 2 > answers)
    after[platform] = { answers, suspects, disabled: before[platform].disabled, open }
  }
  return after
}
