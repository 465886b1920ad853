import { isRecord } from '../../../kernel/validation.ts'

type JsonObject = Record<string, unknown>

/**
 * Returns a copy of `target` with `patch` applied as a JSON Merge Patch (RFC 7396): objects are merged, null removes an
 * entry, and other values replace it.
 */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  // A Map, because assigning to an object would lose a name like `__proto__`.
  const merged = new Map(Object.entries(target))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else if (isRecord(value)) {
      const before = merged.get(name)
      merged.set(name, mergePatch(isRecord(before) ? before : {}, value))
    } else merged.set(name, value)
  }
  return Object.fromEntries(merged)
}
