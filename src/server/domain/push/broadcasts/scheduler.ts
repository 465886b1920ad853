import { Backoff, sleep } from '../../../kernel/backoff.ts'
import type { Logger } from '../../../kernel/log.ts'
import { createSweepRounds } from '../../../kernel/sweep-rounds.ts'
import type { DueMessage, MessageRepo } from '../messages/message-repo.ts'

type SchedulerDeps = {
  messages: Pick<MessageRepo, 'findDue' | 'start'>
  log: Logger
  chunkSize: number
  /** Called when a message has started. */
  onStarted(): void
}

/** Longest interval between checks, and so the longest delay of a due message, unless MAX_STARTS are being started. */
const POLL_MS = 500
/** Messages that a process starts at once. Each holds a connection of the pool `requests`. */
const MAX_STARTS = 3
/** Maximum number of these that go to topics: a large one takes a minute, and the others do not wait for it. */
export const MAX_TOPIC_STARTS = 2

type Wait = { backoff: Backoff; until: number }

/**
 * Starts messages that are due, in every replica; only one replica starts each message. The database's clock decides
 * what is due, because replicas' clocks differ. If a replica dies, its unfinished start has no effect. A message that
 * cannot be started is tried again within 10 seconds. Meanwhile, the others are started.
 */
export function createScheduler({ messages, log, chunkSize, onStarted }: SchedulerDeps) {
  /** By ID of the message. */
  const starting = new Map<string, { toTopic: boolean; ended: Promise<void> }>()
  /** Messages to try again later, by ID. */
  const waiting = new Map<string, Wait>()
  /** True if the next message is one with `sendAt`, if one is due. The two kinds take turns. */
  let scheduledNext = false
  const closing = new AbortController()

  async function tryStart(id: string): Promise<void> {
    const { backoff } = waiting.get(id) ?? { backoff: new Backoff() }
    const wait = (ms: number) => waiting.set(id, { backoff, until: performance.now() + ms })
    try {
      // Another replica is starting it, and could die.
      if (!(await messages.start(id, chunkSize, closing.signal))) return void wait(POLL_MS)
      waiting.delete(id)
      onStarted()
    } catch (error) {
      if (closing.signal.aborted) return
      const retryInMs = backoff.fail(performance.now())
      wait(retryInMs)
      log.warn({ err: error, messageId: id, retryInMs }, 'could not start a message')
    }
  }

  /** Starts a message that is due. If that fails, or if there are too many, the rounds start it later. */
  async function start({ id, toTopic }: DueMessage): Promise<void> {
    if (starting.size >= MAX_STARTS || starting.has(id) || (toTopic && !isTopicFree())) return
    const ended = tryStart(id).finally(() => starting.delete(id))
    starting.set(id, { toTopic, ended })
    await ended
  }

  function isTopicFree(): boolean {
    return [...starting.values()].filter(({ toTopic }) => toTopic).length < MAX_TOPIC_STARTS
  }

  async function findNext(): Promise<DueMessage | null> {
    if (starting.size >= MAX_STARTS) return null
    const now = performance.now()
    const skipped = [...waiting].filter(([, { until }]) => until > now).map(([id]) => id)
    // Those that fail meanwhile keep their wait.
    const expired = [...waiting.keys()].filter((id) => !skipped.includes(id) && !starting.has(id))
    const withTopics = isTopicFree()
    scheduledNext = !scheduledNext
    const due = await messages.findDue([...starting.keys(), ...skipped], { withTopics, scheduledNext })
    // These have been started by another replica, or canceled.
    if (due === null && withTopics) for (const id of expired) if (!starting.has(id)) waiting.delete(id)
    return due
  }

  const running = () => [...starting.values()].map(({ ended }) => ended)
  const rounds = createSweepRounds({
    everyMs: POLL_MS,
    firstMs: POLL_MS,
    // Ends when nothing is due and nothing is starting, or when the process stops.
    work: (inBatches) =>
      inBatches(async (limit) => {
        const due = await findNext()
        if (due !== null) void start(due)
        else if (starting.size === 0) return 0
        else await Promise.race([...running(), sleep(POLL_MS)])
        return limit
      }),
    onError: (err) => log.warn({ err }, 'could not find messages that are due'),
  })
  return {
    run: rounds.run,
    start: rounds.start,
    startMessage: start,
    /** Interrupts messages that are being started. Another replica starts them again. */
    async close(): Promise<void> {
      closing.abort()
      await Promise.all([rounds.close(), ...running()])
    },
  }
}
