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
import { keyProcedure, publicProcedure, router } from './init.ts'

const writeProcedure = keyProcedure('uploads:write')

/** Both upload flows (docs/spec.md section 4.1). Bytes go straight to the object store, never through here. */
export const uploadRouter = router({
  requestUploadUrl: writeProcedure
    .input(requestUploadUrlInput)
    .output(requestUploadUrlOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.requestUploadUrl(ctx.user.id, input)),

  confirmUpload: writeProcedure
    .input(fileIdInput)
    .output(finishedOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.confirmUpload(ctx.user.id, input.fileId)),

  initiateMultipart: writeProcedure
    .input(initiateMultipartInput)
    .output(initiateMultipartOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.initiateMultipart(ctx.user.id, input)),

  getPartUrl: writeProcedure
    .input(partInput)
    .output(partUrlOutput)
    .mutation(({ ctx, input }) =>
      ctx.services.uploads.getPartUrl(ctx.user.id, input.fileId, input.partNumber),
    ),

  getPartUrls: writeProcedure
    .input(partUrlsInput)
    .output(partUrlsOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.getPartUrls(ctx.user.id, input)),

  completePart: writeProcedure
    .input(completePartInput)
    .output(completePartOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.completePart(ctx.user.id, input)),

  completeMultipart: writeProcedure
    .input(fileIdInput)
    .output(finishedOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.completeMultipart(ctx.user.id, input.fileId)),

  abortMultipart: writeProcedure
    .input(fileIdInput)
    .output(successOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.abortMultipart(ctx.user.id, input.fileId)),

  limits: publicProcedure
    .meta({ apiKeyScope: 'any' })
    .output(limitsOutput)
    .query(({ ctx }) => ctx.services.uploads.limits()),

  status: writeProcedure
    .input(fileIdInput)
    .output(statusOutput)
    .query(({ ctx, input }) => ctx.services.uploads.status(ctx.user.id, input.fileId)),
})
