import { z } from 'zod'
import { pageInput, pageOf } from '../../../kernel/page.ts'
import { searchText } from '../../../kernel/text.ts'
import { jsonTime } from '../../../kernel/validation.ts'
import { messageOutput, SENT_EXAMPLE } from '../messages/schema.ts'

/** Response of GET /api/admin/broadcasts/{id}. */
export const broadcastOutput = messageOutput
  .omit({ unknownUserIds: true })
  .extend({
    /** Null for a silent push. */
    title: z.string().nullable(),
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
    examples: [
      {
        ...SENT_EXAMPLE,
        status: 'sending',
        title: 'Storm warning',
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
      },
    ],
  })

/** Query of GET /api/admin/broadcasts. */
export const listBroadcastsInput = z.strictObject({
  status: z.enum(['scheduled', 'queued', 'sending', 'completed', 'cancelled']).optional(),
  topic: searchText(100).optional(),
  pushTokenId: z.string().optional(),
  ...pageInput.shape,
})

export type ListBroadcastsInput = z.output<typeof listBroadcastsInput>

/** Response of GET /api/admin/broadcasts. */
export const broadcastsOutput = pageOf(broadcastOutput)

/** Broadcast as shown to administrators. */
export type AdminBroadcast = z.input<typeof broadcastOutput>
