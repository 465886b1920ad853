import type { Usage } from '../api/upload-api.ts'
import { ask, type Job } from './upload-context.ts'

/** A queue of small files asks once in this time, not for every file. */
const MAX_AGE_MS = 5000

/** The account's usage; a refusal is never based on an old answer. */
export class UsageCache {
  #usage: Usage | undefined
  #at = 0

  async get(job: Job, size: number): Promise<Usage> {
    const known = this.#usage
    const fits = known && size <= known.quota - known.used - known.reserved
    if (!known || !fits || Date.now() - this.#at > MAX_AGE_MS) {
      this.#usage = await ask(job, (signal) => job.api.usage(signal))
      this.#at = Date.now()
    }
    const usage = this.#usage!
    // Most likely it gets its place; if not, the next look finds out.
    this.#usage = { ...usage, reserved: usage.reserved + size }
    return usage
  }
}
