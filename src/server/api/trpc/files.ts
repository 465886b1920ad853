import { requireRecentSignIn } from '../../domain/accounts/recent-sign-in.ts'
import * as shareSchema from '../../domain/shares/schema.ts'
import * as schema from '../../domain/uploads/schema.ts'
import {
  ownerProcedure,
  recentSignInProcedure,
  router,
  scopedProcedure,
  succeed,
  success,
  userProcedure,
} from './init.ts'

export const filesRouter = router({
  list: scopedProcedure('files:read', "Lists the user's files, filtered and sorted.")
    .input(schema.listFilesInput.default({ limit: 50, sort: 'newest' }))
    .output(schema.listFilesOutput)
    .query(({ ctx, input, signal }) => ctx.services.uploads.list(ctx.user.id, input, signal)),

  totals: scopedProcedure('files:read', 'Counts matching ready files and their bytes, by type.')
    .input(schema.fileTotalsInput.default({}))
    .output(schema.fileTotalsOutput)
    .query(({ ctx, input, signal }) => ctx.services.uploads.totals(ctx.user.id, input, signal)),

  rename: userProcedure('Renames a file.')
    .input(schema.renameFileInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.uploads.rename(ctx.user.id, input))),

  setVisibility: ownerProcedure('Makes a ready file private or public.')
    .input(schema.setVisibilityInput)
    .output(schema.setVisibilityOutput)
    .mutation(({ ctx, input }) => {
      // Like a shared link, a public URL outlives the session.
      if (input.visibility === 'public') requireRecentSignIn(ctx.user, ctx.services.clock.now())
      return ctx.services.uploads.setVisibility(ctx.user.id, input)
    }),

  setThumbnail: scopedProcedure(
    'uploads:write',
    'Stores a small WebP image of a ready file, unless it has one.',
  )
    .input(schema.setThumbnailInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.uploads.setThumbnail(ctx.user.id, input))),

  delete: scopedProcedure('files:delete', 'Deletes a file, or ends its unfinished upload. Idempotent.')
    .input(schema.deleteFileInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.uploads.delete(ctx.user.id, input))),

  trash: scopedProcedure('files:read', "Lists the files in the user's trash, most recently deleted first.")
    .input(schema.trashInput.default({ limit: 50 }))
    .output(schema.trashOutput)
    .query(({ ctx, input }) => ctx.services.uploads.trash(ctx.user.id, input)),

  restore: scopedProcedure('files:delete', 'Restores a file from the trash. Idempotent.')
    .input(schema.fileIdInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.uploads.restore(ctx.user.id, input.fileId))),

  emptyTrash: scopedProcedure('files:delete', "Permanently deletes all files in the user's trash.")
    .output(schema.emptyTrashOutput)
    .mutation(async ({ ctx }) => ({
      success: true as const,
      deleted: await ctx.services.uploads.emptyTrash(ctx.user.id),
    })),

  downloadUrl: scopedProcedure(
    'files:read',
    'Returns a presigned URL of a ready file, valid for five minutes.',
  )
    .input(schema.downloadUrlInput)
    .output(schema.downloadUrlOutput)
    .query(async ({ ctx, input: { fileId, download } }) => {
      const { url, expiresAt } = await ctx.services.uploads.downloadUrl(ctx.user.id, fileId, { download })
      return { url, expiresAt: expiresAt.toISOString() }
    }),
})

export const sharesRouter = router({
  create: recentSignInProcedure('Creates a link that opens a ready file without an account.')
    .input(shareSchema.createShareInput)
    .output(shareSchema.createShareOutput)
    .mutation(({ ctx, input }) => ctx.services.shares.create(ctx.user, input, ctx.address)),

  list: userProcedure("Lists the user's active links, newest first, with their download counts.")
    .input(shareSchema.listSharesInput.default({}))
    .output(shareSchema.sharesOutput)
    .query(({ ctx, input }) => ctx.services.shares.list(ctx.user.id, input.fileId)),

  revoke: userProcedure('Revokes a link at once. Idempotent.')
    .input(shareSchema.revokeShareInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.shares.revoke(ctx.user.id, input.id, ctx.address))),
})
