import { z } from 'zod'
import { updatePreferencesInput } from '../push/schema.ts'
import { router, userProcedure } from './init.ts'

const preferences = z.object({ pushEnabled: z.boolean(), mutedCategories: z.array(z.string()) })

export const preferencesRouter = router({
  get: userProcedure.output(preferences).query(({ ctx }) => ctx.services.push.preferences.get(ctx.user.id)),

  update: userProcedure
    .input(updatePreferencesInput)
    .output(preferences)
    .mutation(({ ctx, input }) => ctx.services.push.preferences.update(ctx.user.id, input)),
})
