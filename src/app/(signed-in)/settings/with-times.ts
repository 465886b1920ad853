/** Returns the item with its times as ISO 8601 texts, as in API responses. */
export function withTimes<T extends { createdAt: Date; lastSeenAt: Date }>(item: T) {
  return { ...item, createdAt: item.createdAt.toISOString(), lastSeenAt: item.lastSeenAt.toISOString() }
}
