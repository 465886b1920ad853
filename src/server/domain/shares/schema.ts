import { z } from 'zod'
import { newPassword } from '../../kernel/text.ts'
import { isoTime, whole } from '../../kernel/validation.ts'

/** Any string, because an ID that is not the caller's is NOT_FOUND, not a validation error. */
const id = z.string({ error: 'must be a string' })

export const createShareInput = z.strictObject({
  fileId: id,
  expiresInDays: whole(1, 365).default(7),
  /**
   * The limits allow 960 wrong passwords per link, address and day, and 9,600 per link and day: a password of six
   * digits lasts 104 days.
   */
  password: newPassword(6, 128).optional(),
})

export type CreateShareInput = z.output<typeof createShareInput>

export const createShareOutput = z.object({ id: z.string(), url: z.string(), expiresAt: isoTime })

export const listSharesInput = z.strictObject({ fileId: id.optional() })

export const sharesOutput = z.object({
  items: z.array(
    z
      .object({
        id: z.string(),
        fileId: z.string(),
        filename: z.string(),
        /** Null if NEXTAUTH_SECRET has changed since. The link still works but cannot be shown again. */
        url: z.string().nullable(),
        createdAt: isoTime,
        expiresAt: isoTime,
        downloads: z.number(),
        hasPassword: z.boolean(),
      })
      .meta({ id: 'Share' }),
  ),
})

export const revokeShareInput = z.strictObject({ id })
