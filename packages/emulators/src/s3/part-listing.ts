import type { StoredPart } from './types.ts'

/** Previous version of a part, and the time until which ListParts shows it. */
type Earlier = { part: StoredPart | undefined; until: number }

/** Listings that lag behind: a new part is missing, or appears in its previous version. */
export class PartListing {
  readonly #earlier = new Map<string, Map<number, Earlier>>()

  /** Records that a part of this upload has changed from `before`. */
  changed(uploadId: string, partNumber: number, before: StoredPart | undefined, lagMs: number): void {
    if (lagMs <= 0) return
    const parts = this.#earlier.get(uploadId) ?? new Map<number, Earlier>()
    this.#earlier.set(uploadId, parts)
    const shown = this.#shown(parts.get(partNumber))
    parts.set(partNumber, { part: shown ? shown.part : before, until: performance.now() + lagMs })
  }

  /** Returns the parts as a listing shows them now. */
  view(uploadId: string, parts: Iterable<StoredPart>): StoredPart[] {
    const earlier = this.#earlier.get(uploadId)
    if (!earlier) return [...parts]
    return [...parts].flatMap((part) => {
      const shown = this.#shown(earlier.get(part.partNumber))
      if (!shown) return [part]
      return shown.part ? [shown.part] : []
    })
  }

  ended(uploadId: string): void {
    this.#earlier.delete(uploadId)
  }

  #shown(earlier: Earlier | undefined): Earlier | undefined {
    return earlier && performance.now() < earlier.until ? earlier : undefined
  }
}
