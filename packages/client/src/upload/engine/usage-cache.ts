import type { Usage } from '../api/upload-api.ts'
import { type UploadContext, withRetries } from './upload-context.ts'

/** Maximum age of the usage, so that a queue of small files does not request it for each file. */
const MAX_AGE_MS = 5000

/** Caches the account's usage. Never rejects a file because of an old value. */
export class UsageCache {
  #usage: Usage | null | undefined
  #at = 0

  /** Returns the usage before adding a file of `size` bytes, or null if unknown: then the server decides. */
  async get(context: UploadContext, size: number): Promise<Usage | null> {
    const known = this.#usage
    const fits = known === null || (known && size <= known.quota - known.used - known.reserved)
    if (known === undefined || !fits || Date.now() - this.#at > MAX_AGE_MS) {
      this.#usage = await withRetries(context, (signal) => context.resources.api.usage(signal))
      this.#at = Date.now()
    }
    const usage = this.#usage ?? null
    // Most likely, the server reserves these bytes. If not, the next request corrects this.
    if (usage) this.#usage = { ...usage, reserved: usage.reserved + size }
    return usage
  }
}
