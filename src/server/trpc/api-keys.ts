import { z } from 'zod'
import { apiKeysOutput, createApiKeyInput, createApiKeyOutput, revokeApiKeyInput } from '../auth/schema.ts'
import { router, userProcedure } from './init.ts'

export const apiKeysRouter = router({
  /** The key is in this answer and never again. */
  create: userProcedure
    .input(createApiKeyInput)
    .output(createApiKeyOutput)
    .mutation(({ ctx, input }) => ctx.services.apiKeys.create(ctx.user, input, ctx.address)),

  list: userProcedure.output(apiKeysOutput).query(({ ctx }) => ctx.services.apiKeys.list(ctx.user.id)),

  revoke: userProcedure
    .input(revokeApiKeyInput)
    .output(z.object({ success: z.literal(true) }))
    .mutation(async ({ ctx, input }) => {
      await ctx.services.apiKeys.revoke(ctx.user.id, input.id, ctx.address)
      return { success: true as const }
    }),
})
