import type { Logger } from '../../../kernel/log.ts'
import { createSweepRounds } from '../../../kernel/sweep-rounds.ts'
import type { MessageRepo } from '../messages/message-repo.ts'

type SchedulerDeps = {
  messages: MessageRepo
  log: Logger
  chunkSize: number
  /** Called when a scheduled message has started. */
  onStarted(): void
}

/** Longest interval between checks, and so the longest delay of a due message. */
const POLL_MS = 500

/**
 * Starts scheduled messages that are due, in every replica; only one replica starts each message. The database's clock
 * decides what is due, because replicas' clocks differ. If a replica dies, its unfinished start has no effect.
 */
export function createScheduler({ messages, log, chunkSize, onStarted }: SchedulerDeps) {
  return createSweepRounds({
    everyMs: POLL_MS,
    firstMs: POLL_MS,
    // Starts one message at a time until none is due or the process stops.
    work: (inBatches) =>
      inBatches(async (limit) => {
        if (!(await messages.startScheduled(chunkSize))) return 0
        onStarted()
        return limit
      }),
    onError: (err) => log.warn({ err }, 'could not start scheduled messages'),
  })
}
