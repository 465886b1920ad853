import type { Usage } from '../api/upload-api.ts'
import { type UploadContext, withRetries } from './upload-context.ts'

/** A queue of small files asks once in this time, not for every file. */
const MAX_AGE_MS = 5000

/** The account's usage. A file is never refused because of an old value. */
export class UsageCache {
  #usage: Usage | null | undefined
  #at = 0

  /** The usage before a file of `size` bytes is added. Null: it cannot be known, and the server decides. */
  async get(context: UploadContext, size: number): Promise<Usage | null> {
    const known = this.#usage
    const fits = known === null || (known && size <= known.quota - known.used - known.reserved)
    if (known === undefined || !fits || Date.now() - this.#at > MAX_AGE_MS) {
      this.#usage = await withRetries(context, (signal) => context.resources.api.usage(signal))
      this.#at = Date.now()
    }
    const usage = this.#usage ?? null
    // Most likely the server reserves these bytes; if not, the next request shows it.
    if (usage) this.#usage = { ...usage, reserved: usage.reserved + size }
    return usage
  }
}
