import {
  downloadUrlInput,
  downloadUrlOutput,
  fileIdInput,
  fileTotalsInput,
  fileTotalsOutput,
  listFilesInput,
  listFilesOutput,
  renameFileInput,
  setThumbnailInput,
  successOutput,
} from '../upload/schema.ts'
import { keyProcedure, router, userProcedure } from './init.ts'

export const filesRouter = router({
  list: keyProcedure('files:read')
    .input(listFilesInput.default({ limit: 50, sort: 'newest' }))
    .output(listFilesOutput)
    .query(({ ctx, input, signal }) => ctx.services.uploads.list(ctx.user.id, input, signal)),

  totals: keyProcedure('files:read')
    .input(fileTotalsInput.default({}))
    .output(fileTotalsOutput)
    .query(({ ctx, input, signal }) => ctx.services.uploads.totals(ctx.user.id, input, signal)),

  rename: userProcedure
    .input(renameFileInput)
    .output(successOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.rename(ctx.user.id, input)),

  /** Part of an upload, by what made it. */
  setThumbnail: keyProcedure('uploads:write')
    .input(setThumbnailInput)
    .output(successOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.setThumbnail(ctx.user.id, input)),

  delete: keyProcedure('files:delete')
    .input(fileIdInput)
    .output(successOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.delete(ctx.user.id, input.fileId)),

  downloadUrl: keyProcedure('files:read')
    .input(downloadUrlInput)
    .output(downloadUrlOutput)
    .query(async ({ ctx, input }) => {
      const { url, expiresAt } = await ctx.services.uploads.downloadUrl(ctx.user.id, input.fileId, {
        download: input.download,
      })
      return { url, expiresAt: expiresAt.toISOString() }
    }),
})
