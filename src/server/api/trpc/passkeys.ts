import * as schema from '../../domain/accounts/passkey-schema.ts'
import { requireRecentSignIn } from '../../domain/accounts/recent-sign-in.ts'
import { router, sessionProcedure, succeed, success } from './init.ts'

/** Also for administrators who must register a passkey before they can do anything else. */
const passkeyProcedure = (summary: string) => sessionProcedure(summary).meta({ withoutPasskey: true })
const changeProcedure = (summary: string) =>
  passkeyProcedure(summary).use(({ ctx, next }) => {
    requireRecentSignIn(ctx.user, ctx.services.clock.now())
    return next()
  })

export const passkeysRouter = router({
  list: passkeyProcedure("Lists the user's passkeys, newest first, and how many recovery codes are left.")
    .output(schema.passkeysOutput)
    .query(({ ctx }) => ctx.services.passkeys.list(ctx.user.id)),

  registrationOptions: changeProcedure(
    'Returns options for a new passkey, valid for five minutes in this session.',
  )
    .output(schema.registrationOptionsOutput)
    .mutation(({ ctx }) => ctx.services.passkeys.registrationOptions(ctx.user)),

  register: changeProcedure('Adds a passkey. With the first one, returns ten recovery codes.')
    .input(schema.registerPasskeyInput)
    .output(schema.registerPasskeyOutput)
    .mutation(({ ctx, input }) => ctx.services.passkeys.register(ctx.user, input, ctx)),

  rename: passkeyProcedure('Renames a passkey.')
    .input(schema.renamePasskeyInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.passkeys.rename(ctx.user, input, ctx.address))),

  delete: changeProcedure('Deletes a passkey, unless the user could not sign in without it.')
    .input(schema.deletePasskeyInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.passkeys.remove(ctx.user, input.id, ctx.address))),

  setRequired: changeProcedure('Sets whether a password or provider is enough to sign in, without a passkey.')
    .input(schema.requirePasskeyInput)
    .output(success)
    .mutation(({ ctx, input }) =>
      succeed(ctx.services.passkeys.setRequired(ctx.user, input.required, ctx.address)),
    ),

  removePassword: changeProcedure('Removes the password of a user who has a passkey.')
    .output(success)
    .mutation(({ ctx }) => succeed(ctx.services.passkeys.removePassword(ctx.user, ctx.address))),

  createRecoveryCodes: changeProcedure(
    'Replaces the recovery codes with ten new ones. Only this response contains them.',
  )
    .output(schema.recoveryCodesOutput)
    .mutation(({ ctx }) => ctx.services.passkeys.createRecoveryCodes(ctx.user, ctx.address)),
})
