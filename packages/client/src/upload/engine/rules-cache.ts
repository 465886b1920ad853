import type { UploadRules } from '../api/upload-api.ts'
import { type UploadContext, withRetries } from './upload-context.ts'

/** An operator can change a policy, and a token can allow less than the one before. */
const MAX_AGE_MS = 60_000

/** Caches the rules of upload policies. */
export class RulesCache {
  readonly #known = new Map<string, { rules: UploadRules; at: number }>()

  /** Returns the rules of the upload's policy, or undefined without one. */
  async get(context: UploadContext): Promise<UploadRules | undefined> {
    const { policy } = context.options
    if (policy === undefined) return undefined
    const known = this.#known.get(policy)
    if (known && Date.now() - known.at <= MAX_AGE_MS) return known.rules
    const rules = await withRetries(context, (signal) => context.resources.api.rules(policy, signal))
    this.#known.set(policy, { rules, at: Date.now() })
    return rules
  }
}
