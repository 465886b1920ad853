/** How many final answers an upstream gave, and of which kind. */
export type Answers = { answers: number; accepted: number; suspects: number }

/** Answers that were recorded together, at this time in milliseconds since the epoch. */
export type RecordedAnswers = Answers & { at: number }

/** Of one upstream, for all replicas. While it is open, suspects count as failed and their devices stay enabled. */
export type CircuitBreaker = {
  open: boolean
  /** Newest first. */
  recent: RecordedAnswers[]
}

/** Fewer answers than this say nothing about our configuration. */
const LAST_ANSWERS = 20
const WINDOW_MS = 3_600_000
/** Each holds at least one answer, so there are always the last 20; more, to know what else suspects disabled. */
const MAX_RECENT = 50

export const closedBreaker = (): CircuitBreaker => ({ open: false, recent: [] })

/**
 * Adds answers. When suspects are the majority of the last 20 answers of an hour, the fault is ours (topic, project,
 * environment) and the breaker opens. It closes when the majority of the last 20 is accepted.
 */
export function recordAnswers(before: CircuitBreaker, added: RecordedAnswers): CircuitBreaker {
  const recent = [added, ...before.recent].slice(0, MAX_RECENT)
  if (before.open) {
    const { answers, accepted } = lastAnswers(recent)
    return { open: !(answers >= LAST_ANSWERS && accepted * 2 > answers), recent }
  }
  const { answers, suspects } = lastAnswers(ofTheHour(recent))
  return { open: answers >= LAST_ANSWERS && suspects * 2 > answers, recent }
}

/** When the longest run of answers began that ends now and is mostly suspects: what it disabled is enabled again. */
export function suspectSince({ recent }: CircuitBreaker): number {
  let since = recent[0]!.at
  let excess = 0
  for (const { at, answers, suspects } of ofTheHour(recent)) {
    excess += suspects * 2 - answers
    if (excess > 0) since = at
  }
  return since
}

function ofTheHour(recent: RecordedAnswers[]): RecordedAnswers[] {
  const oldest = recent[0]!.at - WINDOW_MS
  return recent.filter(({ at }) => at >= oldest)
}

/** The newest 20, or all if there are fewer. Of answers recorded together each stands for all: their order is not known. */
function lastAnswers(recent: RecordedAnswers[]): Answers {
  const last = { answers: 0, accepted: 0, suspects: 0 }
  for (const { answers, accepted, suspects } of recent) {
    const taken = Math.min(answers, LAST_ANSWERS - last.answers)
    last.answers += taken
    last.accepted += (accepted * taken) / answers
    last.suspects += (suspects * taken) / answers
    if (last.answers === LAST_ANSWERS) break
  }
  return last
}
