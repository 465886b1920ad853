import { Backoff } from '../../../kernel/backoff.ts'
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

/**
 * Starts messages that are due, in every replica; only one replica starts each message. The database's clock decides
 * what is due, because replicas' clocks differ. If a replica dies, its unfinished start has no effect. A message that
 * cannot be started is tried again after a while, and does not delay the others.
 */
export function createScheduler({ messages, log, chunkSize, onStarted }: SchedulerDeps) {
  /** Messages to try again later, by ID. */
  const waiting = new Map<string, Backoff>()

  /** Starts a message that is due. If that fails, the rounds try again. */
  async function start(id: string): Promise<void> {
    const wait = () => {
      const backoff = waiting.get(id) ?? new Backoff()
      waiting.set(id, backoff)
      return backoff.fail(performance.now())
    }
    try {
      if (!(await messages.start(id, chunkSize))) return void wait()
      waiting.delete(id)
      onStarted()
    } catch (error) {
      log.warn({ err: error, messageId: id, retryInMs: wait() }, 'could not start a message')
    }
  }

  /** Returns false if no message is due. */
  async function startNext(): Promise<boolean> {
    const skipped = [...waiting].filter(([, backoff]) => backoff.waitMs(performance.now()) > 0)
    const id = await messages.findDue(skipped.map(([id]) => id))
    if (id === null) return false
    await start(id)
    return true
  }

  const rounds = createSweepRounds({
    everyMs: POLL_MS,
    firstMs: POLL_MS,
    // Starts one message at a time until none is due or the process stops.
    work: (inBatches) => inBatches(async (limit) => ((await startNext()) ? limit : 0)),
    onError: (err) => log.warn({ err }, 'could not find messages that are due'),
  })
  return { ...rounds, startMessage: start }
}
