export const STATUSES = ['scheduled', 'queued', 'sending', 'completed', 'cancelled'] as const

/** Fields of the filter, which are those of the API. */
export const BROADCAST_FIELDS = {
  query: 'text',
  status: STATUSES,
  topic: 'text',
  pushTokenId: 'text',
} as const
