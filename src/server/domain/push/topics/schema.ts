import { z } from 'zod'

export const topic = z
  .string({ error: 'must be a string' })
  .regex(/^[A-Za-z0-9._~-]{1,100}$/, 'must have 1 to 100 characters of A-Z a-z 0-9 . _ ~ -')

/** Input of topics.subscribe and topics.unsubscribe. */
export const topicInput = z.strictObject({ topic })
