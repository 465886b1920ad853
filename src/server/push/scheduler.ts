import type { Logger } from '../log.ts'
import type { MessageRepo } from './ports.ts'

export type SchedulerDeps = {
  messages: MessageRepo
  log: Logger
  chunkSize: number
  /** A scheduled message has begun. */
  onStarted(): void
  /** How late a message may begin. */
  pollMs?: number
}

const AFTER_ERROR_MS = 2_000

/**
 * Begins scheduled messages that are due, in every replica; each message in one of them. What is due the database's
 * clock decides, so that a replica's clock may say what it likes. A replica that dies while it begins one has begun
 * nothing.
 */
export function createScheduler({ messages, log, chunkSize, onStarted, pollMs = 500 }: SchedulerDeps) {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let round: Promise<void> | undefined

  /** Begins all that are due. */
  async function run(): Promise<void> {
    while (!stopped && (await messages.startScheduled(chunkSize))) onStarted()
  }

  /** Returns when to look again. */
  async function runLogged(): Promise<number> {
    try {
      await run()
      return pollMs
    } catch (error) {
      log.warn({ err: error }, 'could not begin scheduled messages')
      return AFTER_ERROR_MS
    }
  }

  function schedule(delayMs: number): void {
    timer = setTimeout(() => {
      round = runLogged().then((nextMs) => {
        if (!stopped) schedule(nextMs)
      })
    }, delayMs).unref()
  }

  return {
    run,
    start: () => schedule(pollMs),
    /** Returns when what it was beginning has begun. */
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await round
    },
  }
}
