import * as passkeySchema from '../../domain/accounts/passkey-schema.ts'
import type { SignInMethod } from '../../domain/accounts/principal.ts'
import * as schema from '../../domain/accounts/schema.ts'
import type { AuthUser } from '../../domain/accounts/user-repo.ts'
import { usageOutput } from '../../domain/uploads/schema.ts'
import { providerKey } from '../access/provider-key.ts'
import {
  type Context,
  ownerProcedure,
  passwordProcedure,
  publicProcedure,
  recentSignInProcedure,
  router,
  sessionProcedure,
  succeed,
  succeedWith,
  success,
  userProcedure,
} from './init.ts'

/** Starts a session of a client without cookies. */
function startSession(ctx: Context, user: AuthUser, method: SignInMethod) {
  // Do this before the new session exists, because the notice uses the language of the user's last session.
  ctx.services.notices.signedInClient(user.id, ctx)
  return ctx.services.auth.issue(user, ctx, method)
}

export const sessionRouter = router({
  create: passwordProcedure('Signs in with email and password.')
    .input(schema.signInInput)
    .output(schema.sessionOutput)
    .mutation(async ({ ctx, input }) => {
      const user = await ctx.services.auth.checkPassword(input.email, input.password, ctx.address)
      return startSession(ctx, user, 'password')
    }),

  passkeyOptions: publicProcedure('Returns options for a sign-in with a passkey, valid for five minutes.')
    .output(passkeySchema.signInOptionsOutput)
    .mutation(({ ctx }) => ctx.services.auth.passkeyOptions()),

  createWithPasskey: publicProcedure('Signs in with a passkey.')
    .input(passkeySchema.passkeySignInInput)
    .output(schema.sessionOutput)
    .mutation(async ({ ctx, input }) => {
      const user = await ctx.services.auth.checkPasskey(input.response, ctx.address)
      return startSession(ctx, user, 'passkey')
    }),

  createWithRecoveryCode: passwordProcedure(
    'Signs in with email, password and a recovery code, without a passkey.',
  )
    .input(passkeySchema.recoverySignInInput)
    .output(schema.sessionOutput)
    .mutation(async ({ ctx, input }) => {
      const user = await ctx.services.auth.checkRecoveryCode(input, ctx.address)
      return startSession(ctx, user, 'recovery_code')
    }),
})

export const accountRouter = router({
  usage: userProcedure('Returns the used and reserved bytes, and the quota.')
    .output(usageOutput)
    .query(({ ctx }) => ctx.services.uploads.usage(ctx.user.id)),

  signUp: passwordProcedure('Creates an account and signs in, if sign-up is open.')
    .input(schema.signUpInput)
    .output(schema.sessionOutput)
    .mutation(({ ctx, input }) => ctx.services.accounts.signUp(input, ctx)),

  changePassword: sessionProcedure('Changes the password, ends all sessions and starts a new one.')
    .input(schema.changePasswordInput)
    .output(success.extend(schema.sessionOutput.shape))
    .mutation(({ ctx, input }) => succeedWith(ctx.services.accounts.changePassword(ctx.user, input, ctx))),

  rename: sessionProcedure("Changes the user's name.")
    .input(schema.renameInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.accounts.rename(ctx.user, input, ctx.address))),

  signInMethods: sessionProcedure('Returns the ways the user can sign in: password, providers and passkeys.')
    .meta({ withoutPasskey: true })
    .output(schema.signInMethodsOutput)
    .query(async ({ ctx }) => {
      const { accounts, passkeys, config } = ctx.services
      const [{ password, providers }, { items }] = await Promise.all([
        accounts.signInMethods(ctx.user),
        passkeys.list(ctx.user.id),
      ])
      const isUsable = (id: (typeof schema.PROVIDER_IDS)[number]) =>
        config.providers[id] !== undefined && providers.includes(providerKey(id, config))
      return { password, providers: schema.PROVIDER_IDS.filter(isUsable), passkey: items.length > 0 }
    }),

  reauthenticate: sessionProcedure('Confirms the password, for calls that require a recent sign-in.')
    .meta({ withoutPasskey: true })
    .input(schema.reauthenticateInput)
    .output(success)
    .mutation(({ ctx, input }) =>
      succeed(ctx.services.accounts.reauthenticate(ctx.user, input, ctx.address)),
    ),

  requestEmailVerification: sessionProcedure("Emails a link that verifies the account's address.")
    .output(success)
    .mutation(({ ctx }) => succeed(ctx.services.emailLinks.requestVerification(ctx.user, ctx))),

  // A mutation, because servers and proxies log the URL of a query, with its token.
  emailVerification: publicProcedure('Returns the account of a mailed link that verifies an email address.')
    .input(schema.emailVerificationInput)
    .output(schema.emailVerificationOutput)
    .mutation(({ ctx, input }) => ctx.services.emailLinks.linkAccount('verify', input.token)),

  // If the caller has a session of the account that the link is for, the account keeps all its data.
  verifyEmail: publicProcedure('Verifies an email address with a mailed link. Needs no session.')
    .input(schema.verifyEmailInput)
    .output(schema.verifyEmailOutput)
    .mutation(async ({ ctx, input }) =>
      succeedWith(ctx.services.emailLinks.verifyEmail(input.token, await ctx.user(), ctx.address)),
    ),

  requestPasswordReset: publicProcedure(
    'Emails a link that sets a new password. The response is the same if no account has this email.',
  )
    .input(schema.passwordResetRequestInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.emailLinks.requestPasswordReset(input.email, ctx))),

  // A mutation for the same reason as `emailVerification`.
  passwordReset: publicProcedure('Returns the account of a mailed link that sets a new password.')
    .input(schema.passwordResetInput)
    .output(schema.passwordResetOutput)
    .mutation(({ ctx, input }) => ctx.services.emailLinks.linkAccount('reset', input.token)),

  resetPassword: passwordProcedure('Sets a new password with a mailed link and ends all sessions.')
    .input(schema.resetPasswordInput)
    .output(schema.resetPasswordOutput)
    .mutation(({ ctx, input }) => succeedWith(ctx.services.emailLinks.resetPassword(input, ctx))),

  sessions: sessionProcedure("Lists the user's sessions, last seen first.")
    .output(schema.sessionsOutput)
    .query(({ ctx }) => ctx.services.sessions.list(ctx.user.id, ctx.user.sessionId)),

  revokeSession: sessionProcedure('Ends one session.')
    .input(schema.revokeSessionInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.sessions.revoke(ctx.user.id, input.id, ctx.address))),

  signOutEverywhere: sessionProcedure('Ends all sessions.')
    .output(success)
    .mutation(({ ctx }) => succeed(ctx.services.accounts.signOutEverywhere(ctx.user, ctx.address))),

  // Users of an external issuer have no password here, but must be able to delete their account.
  delete: ownerProcedure('Deletes the account with its files, devices and push tokens.')
    .input(schema.deleteAccountInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.accounts.deleteAccount(ctx.user, input, ctx.address))),
})

export const apiKeysRouter = router({
  create: recentSignInProcedure('Creates an API key. Only this response contains it.')
    .input(schema.createApiKeyInput)
    .output(schema.createApiKeyOutput)
    .mutation(({ ctx, input }) => ctx.services.apiKeys.create(ctx.user, input, ctx)),

  list: userProcedure("Lists the user's API keys, newest first, without their secrets.")
    .output(schema.apiKeysOutput)
    .query(({ ctx }) => ctx.services.apiKeys.list(ctx.user.id)),

  revoke: userProcedure('Revokes an API key at once.')
    .input(schema.revokeApiKeyInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.apiKeys.revoke(ctx.user.id, input.id, ctx.address))),
})
