import { z } from 'zod'
import { category } from '../messages/schema.ts'

/** Output of preferences.get and preferences.update. */
export const preferencesOutput = z.object({ pushEnabled: z.boolean(), mutedCategories: z.array(z.string()) })

type Preferences = z.output<typeof preferencesOutput>

export type PreferenceRepo = {
  get(userId: string): Promise<Preferences>
  update(userId: string, change: Partial<Preferences>): Promise<Preferences>
}

/** Input of preferences.update. */
export const updatePreferencesInput = z
  .strictObject({
    pushEnabled: z.boolean().optional(),
    mutedCategories: z
      .array(category)
      .max(100, 'must have at most 100 entries')
      .transform((list) => [...new Set(list)])
      .optional(),
  })
  .refine((input) => input.pushEnabled !== undefined || input.mutedCategories !== undefined, {
    message: 'must contain pushEnabled, mutedCategories or both',
  })
