import { formatBytes } from '@pigeonhole/client/format'
import { FILE_MAX_BYTES, SIMPLE_MAX_BYTES, URLS_PER_CALL } from '@pigeonhole/client/limits'
import type { Principal } from '../../domain/accounts/principal.ts'
import * as schema from '../../domain/uploads/schema.ts'
import { fillInFromToken } from '../../domain/uploads/user-token-limits.ts'
import { publicProcedure, router, scopedProcedure, succeed, success } from './init.ts'

const writeProcedure = (summary: string) => scopedProcedure('uploads:write', summary)

/** Limits of a user token's uploads. Null: none. */
const limitsOf = (user: Principal | null) => (user?.via === 'userToken' ? user.uploadLimits : null)

/** Like `writeProcedure`. Fills in a user token's policy and data before the input is checked. */
const beginProcedure = (summary: string) =>
  writeProcedure(summary).use(({ ctx, getRawInput, next }) => {
    const token = limitsOf(ctx.user)
    return token === null
      ? next()
      : next({ getRawInput: async () => fillInFromToken(token, await getRawInput()) })
  })

/** Both upload flows (docs/spec.md section 4.1). Clients send bytes to the object store, never through this API. */
export const uploadRouter = router({
  requestUploadUrl: beginProcedure(
    `Reserves quota and presigns the PUT of a file of up to ${formatBytes(SIMPLE_MAX_BYTES)}.`,
  )
    .input(schema.requestUploadUrlInput)
    .output(schema.requestUploadUrlOutput)
    .mutation(({ ctx, input }) =>
      ctx.services.uploads.requestUploadUrl(ctx.user.id, input, limitsOf(ctx.user)),
    ),

  confirmUpload: writeProcedure('Checks the uploaded object and makes the file ready. Idempotent.')
    .input(schema.fileIdInput)
    .output(schema.finishedOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.confirmUpload(ctx.user.id, input.fileId)),

  initiateMultipart: beginProcedure(
    `Reserves quota and begins a multipart upload of up to ${formatBytes(FILE_MAX_BYTES)}.`,
  )
    .input(schema.initiateMultipartInput)
    .output(schema.initiateMultipartOutput)
    .mutation(({ ctx, input }) =>
      ctx.services.uploads.initiateMultipart(ctx.user.id, input, limitsOf(ctx.user)),
    ),

  getPartUrl: writeProcedure('Presigns the PUT of one part.')
    .input(schema.partInput)
    .output(schema.partUrlOutput)
    .mutation(({ ctx, input }) =>
      ctx.services.uploads.getPartUrl(ctx.user.id, input.fileId, input.partNumber),
    ),

  getPartUrls: writeProcedure(`Presigns the PUTs of up to ${URLS_PER_CALL} parts.`)
    .input(schema.partUrlsInput)
    .output(schema.partUrlsOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.getPartUrls(ctx.user.id, input)),

  completePart: writeProcedure('Records the ETag of an uploaded part. Idempotent, in any order.')
    .input(schema.completePartInput)
    .output(schema.completePartOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.completePart(ctx.user.id, input)),

  completeMultipart: writeProcedure(
    'Joins the parts, checks the object and makes the file ready. Idempotent.',
  )
    .input(schema.fileIdInput)
    .output(schema.finishedOutput)
    .mutation(({ ctx, input }) => ctx.services.uploads.completeMultipart(ctx.user.id, input.fileId)),

  abortMultipart: writeProcedure('Cancels a multipart upload and releases its quota. Idempotent.')
    .input(schema.fileIdInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.uploads.abortMultipart(ctx.user.id, input.fileId))),

  limits: publicProcedure('Returns the allowed types and limits of uploads.')
    .meta({ scope: 'any' })
    .input(schema.limitsInput.default({}))
    .output(schema.limitsOutput)
    .query(async ({ ctx, input }) => {
      const user = ctx.bearerKind === 'userToken' ? await ctx.user() : null
      return ctx.services.uploads.limits(input, limitsOf(user))
    }),

  status: writeProcedure('Returns the state and uploaded parts of a file, to resume its upload.')
    .input(schema.fileIdInput)
    .output(schema.statusOutput)
    .query(({ ctx, input }) => ctx.services.uploads.status(ctx.user.id, input.fileId)),
})
