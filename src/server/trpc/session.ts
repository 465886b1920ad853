import { sessionOutput, signInInput } from '../auth/schema.ts'
import { passwordProcedure, router } from './init.ts'

export const sessionRouter = router({
  /** Signs in with a password. The token is for `Authorization: Bearer`. */
  create: passwordProcedure
    .input(signInInput)
    .output(sessionOutput)
    .mutation(async ({ ctx, input }) => {
      const { auth } = ctx.services
      return auth.issue(await auth.checkPassword(input.email, input.password, ctx.address), ctx.userAgent)
    }),
})
