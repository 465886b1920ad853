import type { Platform, Tally } from './ports.ts'

/** What a message has met at one gateway so far. */
export type GatewayRecord = {
  answers: number
  suspects: number
  /** Devices that the message disabled, counted as removed. */
  disabled: number
  /** On for good: suspects of this message are failures, and their devices stay. */
  braked: boolean
}

export type Suspicion = Record<Platform, GatewayRecord>

/** Fewer answers than this say nothing about our configuration. */
const MIN_ANSWERS = 50

const none = (): GatewayRecord => ({ answers: 0, suspects: 0, disabled: 0, braked: false })

export function noSuspicion(): Suspicion {
  return { ios: none(), android: none() }
}

/**
 * Adds a tally's answers. When suspects are the majority of 50 or more answers of a gateway, the fault is
 * ours (topic, project, environment) and the brake goes on. It stays on: that some devices had been tried
 * before the mistake was made says nothing about the rest.
 */
export function weigh(before: Suspicion, tally: Tally): Suspicion {
  const after = noSuspicion()
  for (const platform of ['ios', 'android'] as const) {
    const suspects =
      before[platform].suspects + tally.suspects.filter((s) => s.recipient.platform === platform).length
    const answers = before[platform].answers + tally.answers[platform]
    const braked = before[platform].braked || (answers >= MIN_ANSWERS && suspects * 2 > answers)
    after[platform] = { answers, suspects, disabled: before[platform].disabled, braked }
  }
  return after
}
