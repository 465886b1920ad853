import {
  completePartInput,
  completePartOutput,
  fileIdInput,
  finishedOutput,
  initiateMultipartInput,
  initiateMultipartOutput,
  limitsOutput,
  partInput,
  partUrlOutput,
  partUrlsInput,
  partUrlsOutput,
  requestUploadUrlInput,
  requestUploadUrlOutput,
  statusOutput,
  successOutput,
} from '../upload/schema.ts'
import { publicProcedure, router, userProcedure } from './init.ts'

/** Both upload flows (docs/spec.md section 4.1). Bytes go straight to the object store, never through here. */
export const uploadRouter = router({
  requestUploadUrl: userProcedure
    .input(requestUploadUrlInput)
    .output(requestUploadUrlOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.requestUploadUrl(ctx.user.id, input)),

  confirmUpload: userProcedure
    .input(fileIdInput)
    .output(finishedOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.confirmUpload(ctx.user.id, input.fileId)),

  initiateMultipart: userProcedure
    .input(initiateMultipartInput)
    .output(initiateMultipartOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.initiateMultipart(ctx.user.id, input)),

  getPartUrl: userProcedure
    .input(partInput)
    .output(partUrlOutput)
    .mutation(({ ctx, input }) =>
      ctx.services.uploads.getPartUrl(ctx.user.id, input.fileId, input.partNumber),
    ),

  getPartUrls: userProcedure
    .input(partUrlsInput)
    .output(partUrlsOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.getPartUrls(ctx.user.id, input)),

  completePart: userProcedure
    .input(completePartInput)
    .output(completePartOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.completePart(ctx.user.id, input)),

  completeMultipart: userProcedure
    .input(fileIdInput)
    .output(finishedOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.completeMultipart(ctx.user.id, input.fileId)),

  abortMultipart: userProcedure
    .input(fileIdInput)
    .output(successOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.abortMultipart(ctx.user.id, input.fileId)),

  limits: publicProcedure.output(limitsOutput).query(({ ctx }) => ctx.services.uploads.limits()),

  status: userProcedure
    .input(fileIdInput)
    .output(statusOutput)
    .query(({ ctx, input }) => ctx.services.uploads.status(ctx.user.id, input.fileId)),
})
