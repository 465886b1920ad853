import { usageOutput } from '../upload/schema.ts'
import { userProcedure } from './init.ts'

/** Bytes used, reserved and allowed; a part of the account router. */
export const usageProcedure = userProcedure
  .output(usageOutput)
  .query(({ ctx }) => ctx.services.uploads.usage(ctx.user.id))
