type JsonObject = Record<string, unknown>

/**
 * `patch` laid over `target` as a JSON Merge Patch (RFC 7396): objects are merged, null removes, everything else
 * replaces. Neither is changed.
 */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  // Entries, since assigning would lose a name like `__proto__`.
  const merged = new Map(Object.entries(target))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else if (isObject(value)) {
      const before = merged.get(name)
      merged.set(name, mergePatch(isObject(before) ? before : {}, value))
    } else merged.set(name, value)
  }
  return Object.fromEntries(merged)
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
