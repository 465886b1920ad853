import { Backoff, sleep } from '../../../kernel/backoff.ts'
import type { Logger } from '../../../kernel/log.ts'
import { createSweepRounds } from '../../../kernel/sweep-rounds.ts'
import type { MessageRepo } from '../messages/message-repo.ts'

type SchedulerDeps = {
  messages: Pick<MessageRepo, 'findDue' | 'start'>
  log: Logger
  chunkSize: number
  /** Called when a message has started. */
  onStarted(): void
}

/** Longest interval between checks, and so the longest delay of a due message. */
const POLL_MS = 500
/** Messages that a process starts at once. Each holds a database connection, for a minute if its topic is large. */
export const MAX_STARTS = 4

/**
 * Starts messages that are due, in every replica; only one replica starts each message. The database's clock decides
 * what is due, because replicas' clocks differ. If a replica dies, its unfinished start has no effect. A message that
 * cannot be started is tried again within 10 seconds. Meanwhile, the others are started.
 */
export function createScheduler({ messages, log, chunkSize, onStarted }: SchedulerDeps) {
  /** By ID of the message. */
  const starting = new Map<string, Promise<void>>()
  /** Messages to try again later, by ID. */
  const waiting = new Map<string, Backoff>()
  const closing = new AbortController()

  async function tryStart(id: string): Promise<void> {
    const wait = () => {
      const backoff = waiting.get(id) ?? new Backoff()
      waiting.set(id, backoff)
      return backoff.fail(performance.now())
    }
    try {
      if (!(await messages.start(id, chunkSize, closing.signal))) return void wait()
      waiting.delete(id)
      onStarted()
    } catch (error) {
      if (closing.signal.aborted) return
      log.warn({ err: error, messageId: id, retryInMs: wait() }, 'could not start a message')
    }
  }

  /** Starts a message that is due. If that fails, or if there are too many, the rounds start it later. */
  async function start(id: string): Promise<void> {
    if (starting.size >= MAX_STARTS || starting.has(id)) return
    const ended = tryStart(id).finally(() => starting.delete(id))
    starting.set(id, ended)
    await ended
  }

  async function findNext(): Promise<string | null> {
    if (starting.size >= MAX_STARTS) return null
    const now = performance.now()
    const skipped = [...waiting].filter(([, backoff]) => backoff.waitMs(now) > 0).map(([id]) => id)
    const id = await messages.findDue([...starting.keys(), ...skipped])
    // The rest of those that waited have been started by another replica, or canceled.
    if (id === null) for (const other of waiting.keys()) if (!skipped.includes(other)) waiting.delete(other)
    return id
  }

  const rounds = createSweepRounds({
    everyMs: POLL_MS,
    firstMs: POLL_MS,
    // Ends when nothing is due and nothing is starting, or when the process stops.
    work: (inBatches) =>
      inBatches(async (limit) => {
        const id = await findNext()
        if (id !== null) void start(id)
        else if (starting.size === 0) return 0
        else await Promise.race([...starting.values(), sleep(POLL_MS)])
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
      await Promise.all([rounds.close(), ...starting.values()])
    },
  }
}
