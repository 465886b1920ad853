import {
  createShareInput,
  createShareOutput,
  listSharesInput,
  revokeShareInput,
  sharesOutput,
} from '../shares/schema.ts'
import { successOutput } from '../upload/schema.ts'
import { router, userProcedure } from './init.ts'

export const sharesRouter = router({
  create: userProcedure
    .input(createShareInput)
    .output(createShareOutput)
    .mutation(({ ctx, input }) => ctx.services.shares.create(ctx.user, input, ctx.address)),

  list: userProcedure
    .input(listSharesInput.default({}))
    .output(sharesOutput)
    .query(({ ctx, input }) => ctx.services.shares.list(ctx.user.id, input.fileId)),

  revoke: userProcedure
    .input(revokeShareInput)
    .output(successOutput)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.shares.revoke(ctx.user.id, input.id, ctx.address)
      return { success: true as const }
    }),
})
