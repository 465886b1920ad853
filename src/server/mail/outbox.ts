import type { Mail, Outbox } from '../auth/ports.ts'
import { backoffMs, jittered } from '../backoff.ts'
import type { Logger } from '../log.ts'
import { MailRefused } from './smtp.ts'

/** Mails that wait or are on their way; some kilobytes each. */
const MAX_WAITING = 1_000
/** At a time, each over a connection of its own. */
const MAX_CONCURRENT = 4
/** So that the work begins when the caller's answer has left, and takes none of its time. */
const START_MS = 100
const FIRST_RETRY_MS = 2_000
const MAX_RETRY_MS = 5 * 60_000
/** After that the link in the mail is dead, or soon will be. */
const GIVE_UP_MS = 45 * 60_000

export type OutboxDeps = {
  /** @throws MailRefused; any other error: later */
  send(mail: Mail, signal: AbortSignal): Promise<void>
  log: Pick<Logger, 'warn' | 'error'>
  onResult(outcome: 'sent' | 'retry' | 'failed'): void
}

type Job = {
  prepare: () => Promise<Mail | null>
  mail: Mail | null | undefined
  attempts: number
  since: number
}

/**
 * Mails in the memory of this process, sent beside the requests that ask for them, tried again for 45 minutes. What a
 * crash loses, its reader asks for again. Not in the database: that would store links that open accounts.
 */
export function createOutbox({ send, log, onResult }: OutboxDeps): Outbox & {
  /** Sends what can be sent within this time; the rest is lost, and the log says how much. */
  close(ms: number): Promise<void>
} {
  const jobs = new Set<Job>()
  const ready: Job[] = []
  const timers = new Map<Job, NodeJS.Timeout>()
  const aborted = new AbortController()
  let running = 0
  let closing: PromiseWithResolvers<void> | undefined

  function begin(job: Job, delayMs: number): void {
    const timer = setTimeout(() => {
      timers.delete(job)
      ready.push(job)
      fill()
    }, delayMs)
    timers.set(job, timer.unref())
  }

  function fill(): void {
    while (running < MAX_CONCURRENT && ready.length > 0) void run(ready.shift()!)
    if (running === 0 && ready.length === 0) closing?.resolve()
  }

  async function run(job: Job): Promise<void> {
    running++
    try {
      job.mail ??= await job.prepare()
      if (job.mail) {
        await send(job.mail, aborted.signal)
        onResult('sent')
      }
      jobs.delete(job)
    } catch (error) {
      retry(job, error)
    }
    running--
    fill()
  }

  function retry(job: Job, error: unknown): void {
    const isOver = error instanceof MailRefused || performance.now() - job.since > GIVE_UP_MS
    const details = { err: error, purpose: job.mail?.purpose, attempts: ++job.attempts }
    if (isOver) {
      jobs.delete(job)
      onResult('failed')
      log.error(details, 'a mail could not be sent')
      return
    }
    onResult('retry')
    if (closing) return
    log.warn(details, 'a mail could not be sent, will retry')
    begin(job, jittered(backoffMs(job.attempts - 1, FIRST_RETRY_MS, MAX_RETRY_MS)))
  }

  return {
    post(prepare) {
      if (closing || jobs.size >= MAX_WAITING) return false
      const job: Job = { prepare, mail: undefined, attempts: 0, since: performance.now() }
      jobs.add(job)
      begin(job, START_MS)
      return true
    },

    async close(ms) {
      closing ??= Promise.withResolvers<void>()
      for (const [job, timer] of timers) {
        clearTimeout(timer)
        // What waits for a retry has had its chance.
        if (job.attempts === 0) ready.push(job)
      }
      timers.clear()
      const timeout = setTimeout(() => {
        ready.length = 0
        aborted.abort()
        closing?.resolve()
      }, ms)
      fill()
      await closing.promise
      clearTimeout(timeout)
      if (jobs.size > 0) log.warn({ mails: jobs.size }, 'stopped before these mails were sent')
    },
  }
}
