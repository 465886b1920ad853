import * as schema from '../../domain/shares/schema.ts'
import { recentSignInProcedure, router, succeed, success, userProcedure } from './init.ts'

export const sharesRouter = router({
  create: recentSignInProcedure
    .meta({ summary: 'Creates a link to a ready file for anyone without an account.' })
    .input(schema.createShareInput)
    .output(schema.createShareOutput)
    .mutation(({ ctx, input }) => ctx.services.shares.create(ctx.user, input, ctx.address)),

  list: userProcedure
    .meta({ summary: "Lists the user's active links, newest first, with their download counts." })
    .input(schema.listSharesInput.default({}))
    .output(schema.sharesOutput)
    .query(({ ctx, input }) => ctx.services.shares.list(ctx.user.id, input.fileId)),

  revoke: userProcedure
    .meta({ summary: 'Revokes a link at once. Idempotent.' })
    .input(schema.revokeShareInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.shares.revoke(ctx.user.id, input.id, ctx.address))),
})
