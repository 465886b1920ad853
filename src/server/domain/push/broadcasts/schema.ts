import { z } from 'zod'
import { pageInput, pageOf } from '../../../kernel/page.ts'
import { searchText } from '../../../kernel/text.ts'
import { jsonTime } from '../../../kernel/validation.ts'
import { failureCount, messageOutput, SENT_EXAMPLE } from '../messages/schema.ts'

const BROADCAST_EXAMPLE = {
  ...SENT_EXAMPLE,
  status: 'sending',
  title: 'Storm warning',
  body: 'Strong winds from 18:00.',
  link: 'https://example.com/storm',
  imageUrl: null,
  category: 'general',
  createdAt: '2026-11-21T12:00:00.000Z',
  completedAt: null,
  toAll: true,
  apps: null,
  target: 'all',
  topic: null,
  remaining: 4000,
  pushToken: {
    id: '019aa6f1-2c3d-7e4f-9051-6b7c8d9e0f1a',
    name: 'nightly build',
    userId: '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f',
  },
} as const

/** Broadcast in GET /api/admin/broadcasts. */
export const broadcastOutput = messageOutput
  .omit({ unknownUserIds: true })
  .extend({
    /** Null for a silent push. */
    title: z.string().nullable(),
    body: z.string().nullable(),
    link: z.string().nullable(),
    imageUrl: z.string().nullable(),
    category: z.string(),
    createdAt: jsonTime,
    completedAt: jsonTime.nullable(),
    /** Sent to everyone, not to a list of users or a topic. */
    toAll: z.boolean(),
    /** Apps whose devices it is for; null: all. */
    apps: z.array(z.string()).nullable(),
    target: z.enum(['all', 'topic', 'users', 'user']),
    topic: z.string().nullable(),
    /** Maximum number of devices that can still get it. */
    remaining: z.number(),
    /** Null if it was deleted with its owner. */
    pushToken: z.object({ id: z.string(), name: z.string(), userId: z.string() }).nullable(),
  })
  .meta({
    id: 'Broadcast',
    examples: [BROADCAST_EXAMPLE],
  })

/** Response of GET /api/admin/broadcasts/{id}. */
export const broadcastDetailsOutput = broadcastOutput
  .extend({
    /** Failed devices by reason, most frequent first: of the first 10,000, kept for 7 days. */
    failureCounts: z.array(failureCount),
  })
  .meta({
    id: 'BroadcastDetails',
    examples: [
      {
        ...BROADCAST_EXAMPLE,
        failureCounts: [{ platform: 'android', reason: 'UNAVAILABLE', count: 1 }],
      },
    ],
  })

/** Query of GET /api/admin/broadcasts. */
export const listBroadcastsInput = z.strictObject({
  status: z.enum(['scheduled', 'queued', 'sending', 'completed', 'cancelled']).optional(),
  topic: searchText(100).optional(),
  query: searchText(100).optional().meta({ description: 'Part of the title, in any case.' }),
  pushTokenId: z.string().optional(),
  ...pageInput.shape,
})

export type ListBroadcastsInput = z.output<typeof listBroadcastsInput>

/** Response of GET /api/admin/broadcasts. */
export const broadcastsOutput = pageOf(broadcastOutput)

/** Broadcast as shown to administrators. */
export type AdminBroadcast = z.input<typeof broadcastOutput>
export type AdminBroadcastDetails = z.input<typeof broadcastDetailsOutput>
