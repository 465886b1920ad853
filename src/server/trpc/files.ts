import {
  downloadUrlInput,
  downloadUrlOutput,
  fileIdInput,
  listFilesInput,
  listFilesOutput,
  renameFileInput,
  successOutput,
} from '../upload/schema.ts'
import { router, userProcedure } from './init.ts'

export const filesRouter = router({
  list: userProcedure
    .input(listFilesInput.default({ limit: 50 }))
    .output(listFilesOutput)
    .query(({ ctx, input }) => ctx.services.uploads.list(ctx.user.id, input)),

  rename: userProcedure
    .input(renameFileInput)
    .output(successOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.rename(ctx.user.id, input)),

  delete: userProcedure
    .input(fileIdInput)
    .output(successOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.delete(ctx.user.id, input.fileId)),

  downloadUrl: userProcedure
    .input(downloadUrlInput)
    .output(downloadUrlOutput)
    .query(async ({ ctx, input }) => {
      const { url, expiresAt } = await ctx.services.uploads.downloadUrl(ctx.user.id, input.fileId, {
        download: input.download,
      })
      return { url, expiresAt: expiresAt.toISOString() }
    }),
})
