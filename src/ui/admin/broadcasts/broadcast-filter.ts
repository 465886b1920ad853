/** Names of the filter's fields, which are those of the API. */
export const BROADCAST_FIELDS = ['query', 'status', 'topic', 'pushTokenId'] as const
