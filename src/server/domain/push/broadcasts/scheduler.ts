import type { Logger } from '../../../kernel/log.ts'
import type { MessageRepo } from '../messages/message-repo.ts'

type SchedulerDeps = {
  messages: MessageRepo
  log: Logger
  chunkSize: number
  /** Called when a scheduled message has started. */
  onStarted(): void
}

/** Interval between checks, and so the longest delay of a due message. */
const POLL_MS = 500
const AFTER_ERROR_MS = 2_000

/**
 * Starts scheduled messages that are due, in every replica; only one replica starts each message. The database's clock
 * decides what is due, because replicas' clocks differ. If a replica dies, its unfinished start has no effect.
 */
export function createScheduler({ messages, log, chunkSize, onStarted }: SchedulerDeps) {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let round: Promise<void> | undefined

  /** Starts all messages that are due. */
  async function run(): Promise<void> {
    while (!stopped && (await messages.startScheduled(chunkSize))) onStarted()
  }

  async function runAndReschedule(): Promise<void> {
    let delayMs = POLL_MS
    try {
      await run()
    } catch (error) {
      log.warn({ err: error }, 'could not start scheduled messages')
      delayMs = AFTER_ERROR_MS
    }
    if (!stopped) schedule(delayMs)
  }

  function schedule(delayMs: number): void {
    timer = setTimeout(() => {
      round = runAndReschedule()
    }, delayMs).unref()
  }

  return {
    run,
    start: () => schedule(POLL_MS),
    /** Waits until the messages in progress have started. */
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await round
    },
  }
}
