/** Number of final responses from an upstream, and how many of each kind. */
export type Answers = { answers: number; accepted: number; suspects: number }

/** Responses recorded together. `at`: milliseconds since the epoch. */
type RecordedAnswers = Answers & { at: number }

/** State for one upstream and all replicas. While it is open, suspect devices count as failed and stay enabled. */
export type CircuitBreaker = {
  open: boolean
  /** Newest first. */
  recent: RecordedAnswers[]
}

/** Fewer responses do not show whether our configuration is wrong. */
const LAST_ANSWERS = 20
const WINDOW_MS = 3_600_000
/** More than the breaker needs, so that `suspectSince` finds older devices that suspect responses disabled. */
const MAX_RECENT = 50

/**
 * Returns the breaker after more responses. It opens when most of the last 20 responses within an hour are suspects,
 * because then our topic, project or environment must be wrong. It closes when most of the last 20 are accepted.
 */
export function recordAnswers(before: CircuitBreaker, added: RecordedAnswers): CircuitBreaker {
  const recent = [added, ...before.recent].slice(0, MAX_RECENT)
  if (before.open) {
    const { answers, accepted } = lastAnswers(recent)
    return { open: !(answers >= LAST_ANSWERS && accepted * 2 > answers), recent }
  }
  const { answers, suspects } = lastAnswers(withinWindow(recent))
  return { open: answers >= LAST_ANSWERS && suspects * 2 > answers, recent }
}

/** Returns when the longest run of mostly suspect responses up to now began. Devices disabled since are enabled again. */
export function suspectSince({ recent }: CircuitBreaker): number {
  let since = recent[0]!.at
  let excess = 0
  for (const { at, answers, suspects } of withinWindow(recent)) {
    excess += suspects * 2 - answers
    if (excess > 0) since = at
  }
  return since
}

function withinWindow(recent: RecordedAnswers[]): RecordedAnswers[] {
  const oldest = recent[0]!.at - WINDOW_MS
  return recent.filter(({ at }) => at >= oldest)
}

/** Counts at most the newest 20. Responses recorded together are counted in proportion, since their order is unknown. */
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
