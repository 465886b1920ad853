import { z } from 'zod'
import {
  changePasswordInput,
  deleteAccountInput,
  passwordResetRequestInput,
  resetPasswordInput,
  resetPasswordOutput,
  revokeSessionInput,
  sessionOutput,
  sessionsOutput,
  signUpInput,
  verifyEmailInput,
  verifyEmailOutput,
} from '../auth/schema.ts'
import { ownerProcedure, passwordProcedure, publicProcedure, router, sessionProcedure } from './init.ts'
import { usageProcedure } from './usage.ts'

const success = z.object({ success: z.literal(true) })
const done = { success: true as const }

export const accountRouter = router({
  usage: usageProcedure,

  signUp: passwordProcedure
    .input(signUpInput)
    .output(sessionOutput)
    .mutation(({ ctx, input }) => ctx.services.accounts.signUp(input, ctx)),

  /** Ends all sessions and returns a new one. */
  changePassword: sessionProcedure
    .input(changePasswordInput)
    .output(success.extend(sessionOutput.shape))
    .mutation(async ({ ctx, input }) => ({
      ...done,
      ...(await ctx.services.accounts.changePassword(ctx.user, input, ctx)),
    })),

  requestEmailVerification: sessionProcedure.output(success).mutation(async ({ ctx }) => {
    await ctx.services.emailLinks.requestVerification(ctx.user, ctx)
    return done
  }),

  /** With a session of the account that the link is for, the account stays as it is. */
  verifyEmail: publicProcedure
    .input(verifyEmailInput)
    .output(verifyEmailOutput)
    .mutation(async ({ ctx, input }) => ({
      ...done,
      ...(await ctx.services.emailLinks.verifyEmail(input.token, await ctx.user(), ctx.address)),
    })),

  requestPasswordReset: publicProcedure
    .input(passwordResetRequestInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.emailLinks.requestPasswordReset(input.email, ctx)
      return done
    }),

  /** Ends all sessions. */
  resetPassword: passwordProcedure
    .input(resetPasswordInput)
    .output(resetPasswordOutput)
    .mutation(async ({ ctx, input }) => ({
      ...done,
      ...(await ctx.services.emailLinks.resetPassword(input, ctx.address)),
    })),

  /** Where the user is signed in, last seen first. */
  sessions: sessionProcedure
    .output(sessionsOutput)
    .query(({ ctx }) => ctx.services.sessions.list(ctx.user.id, ctx.user.sessionId)),

  revokeSession: sessionProcedure
    .input(revokeSessionInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.sessions.revoke(ctx.user.id, input.id, ctx.address)
      return done
    }),

  signOutEverywhere: sessionProcedure.output(success).mutation(async ({ ctx }) => {
    await ctx.services.accounts.signOutEverywhere(ctx.user, ctx.address)
    return done
  }),

  /** For a token of another issuer too: what a user may do here must not need an account here. */
  delete: ownerProcedure
    .input(deleteAccountInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.accounts.deleteAccount(ctx.user, input, ctx.address)
      return done
    }),
})
