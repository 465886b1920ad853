import type { Mail, Outbox } from '../../domain/accounts/outbox.ts'
import { backoffMs, jittered } from '../../kernel/backoff.ts'
import type { Logger } from '../../kernel/log.ts'
import { MailRejected } from './smtp.ts'

/** Maximum emails waiting or being sent. Each takes some kilobytes. */
const MAX_WAITING = 1_000
/** Each email in flight has its own connection. */
const MAX_CONCURRENT = 4
/** Delay before the work starts, so that it does not slow down the caller's response. */
const START_MS = 100
const FIRST_RETRY_MS = 2_000
const MAX_RETRY_MS = 5 * 60_000
/** By then, the link in the email has expired or soon will. */
const GIVE_UP_MS = 45 * 60_000

type OutboxDeps = {
  /** @throws MailRejected; other errors if a retry may succeed */
  send(mail: Mail, signal: AbortSignal): Promise<void>
  log: Pick<Logger, 'warn' | 'error'>
  onResult(outcome: 'sent' | 'retry' | 'failed'): void
}

type Job = {
  prepare: () => Promise<Mail | null>
  mail?: Mail | null
  attempts: number
  since: number
  /** Runs while the job waits to become ready. */
  timer?: NodeJS.Timeout
}

/**
 * Emails in this process's memory, sent in the background and retried for 45 minutes. Users can ask again for those that
 * a crash loses. They are not stored, because they contain links that open accounts.
 */
export function createOutbox({ send, log, onResult }: OutboxDeps): Outbox & {
  /** Sends what it can within this time. The rest is lost, and the log says how many. */
  close(ms: number): Promise<void>
} {
  const jobs = new Set<Job>()
  const ready: Job[] = []
  const aborted = new AbortController()
  let running = 0
  let closing: PromiseWithResolvers<void> | undefined

  function schedule(job: Job, delayMs: number): void {
    job.timer = setTimeout(() => {
      job.timer = undefined
      ready.push(job)
      runReady()
    }, delayMs).unref()
  }

  function runReady(): void {
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
    runReady()
  }

  function retry(job: Job, error: unknown): void {
    const isFinal = error instanceof MailRejected || performance.now() - job.since > GIVE_UP_MS
    const details = { err: error, purpose: job.mail?.purpose, attempts: ++job.attempts }
    onResult(isFinal ? 'failed' : 'retry')
    if (isFinal) {
      jobs.delete(job)
      log.error(details, 'email not sent')
    } else if (!closing) {
      log.warn(details, 'email not sent, will retry')
      schedule(job, jittered(backoffMs(job.attempts - 1, FIRST_RETRY_MS, MAX_RETRY_MS)))
    }
  }

  return {
    post(prepare) {
      if (closing || jobs.size >= MAX_WAITING) return false
      const job: Job = { prepare, attempts: 0, since: performance.now() }
      jobs.add(job)
      schedule(job, START_MS)
      return true
    },

    async close(ms) {
      closing ??= Promise.withResolvers<void>()
      for (const job of jobs) {
        // Jobs that wait for a retry have had their attempt.
        if (job.timer && job.attempts === 0) ready.push(job)
        clearTimeout(job.timer)
        job.timer = undefined
      }
      const timeout = setTimeout(() => {
        ready.length = 0
        aborted.abort()
        closing?.resolve()
      }, ms)
      runReady()
      await closing.promise
      clearTimeout(timeout)
      if (jobs.size > 0) log.warn({ emails: jobs.size }, 'stopped before these emails were sent')
    },
  }
}
