import { type Audit, userActor } from '../../kernel/audit.ts'
import type { Clock } from '../../kernel/clock.ts'
import { countUpTo, type RateCounter } from '../../kernel/rate-counter.ts'
import type { MatchAccount } from './match-account.ts'
import type { PasskeyChallenges } from './passkey-challenges.ts'
import type { SignInOptions, UsedCredential } from './passkey-schema.ts'
import { challengeUse, notAccepted, type PasskeyRepo, type WebAuthn } from './passkeys.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import type { SignIn } from './sign-in.ts'
import type { AuthUser, UserRepo } from './user-repo.ts'

/** Each writes an audit entry, and unlike a password, a passkey costs the caller no time. */
const MAX_SIGN_INS_PER_DAY = 1000

type PasskeySignInDeps = {
  repo: Pick<PasskeyRepo, 'findCredential' | 'recordUse' | 'spendRecoveryCode'>
  users: Pick<UserRepo, 'findById'>
  signIn: Pick<SignIn, 'byEmail'>
  webauthn: Pick<WebAuthn, 'signInOptions' | 'verifySignIn'>
  challenges: PasskeyChallenges
  matchAccount: MatchAccount
  /** Counts by user and day. */
  signIns: Pick<RateCounter, 'increment'>
  clock: Clock
  audit: Audit
}

export type PasskeySignIn = ReturnType<typeof createPasskeySignIn>

/** Signs in with a passkey, or with a recovery code if the passkeys are lost. */
export function createPasskeySignIn(deps: PasskeySignInDeps) {
  const { repo, users, webauthn, challenges, matchAccount, signIn, signIns, clock, audit } = deps

  /** Returns options for `navigator.credentials.get()`. Stores nothing, because anyone can ask for them. */
  const passkeyOptions = (): SignInOptions => webauthn.signInOptions(challenges.create('sign-in'))

  /**
   * Returns the user whose passkey answered the challenge of `passkeyOptions`.
   * @throws AppError UNAUTHORIZED, TOO_MANY_REQUESTS
   */
  async function checkPasskey(response: UsedCredential, address: string): Promise<AuthUser> {
    const from = { address, details: { method: 'passkey' } }
    const stored = await repo.findCredential(response.id)
    const userId = stored?.userId ?? null
    const user = stored && (await verifiedOwner())
    if (!user) {
      await audit.recordRejection({ action: 'session.refused', actor: null, userId, ...from })
      throw notAccepted('UNAUTHORIZED')
    }
    await audit.record({ action: 'session.created', actor: userActor(user.id), userId, ...from })
    return user

    async function verifiedOwner(): Promise<AuthUser | null> {
      if (!stored || !isHandleOf(stored.userId, response.response.userHandle)) return null
      const verified = await webauthn.verifySignIn(
        response,
        stored,
        (challenge) => challenges.expiryOf(challenge, 'sign-in') !== null,
      )
      if (!verified) return null
      const { counter, backedUp } = verified
      const owner = await users.findById(stored.userId)
      if (!owner || owner.disabledAt) return null
      await countUpTo(
        MAX_SIGN_INS_PER_DAY,
        signIns,
        owner.id,
        `You can sign in with passkeys at most ${MAX_SIGN_INS_PER_DAY} times per day. Keep your session, or try again later.`,
      )
      const challenge = challengeUse(challenges, verified.challenge, 'sign-in', clock)
      const use = { counter, backedUp, at: clock.now(), challenge }
      return (await repo.recordUse(stored.id, use)) ? owner : null
    }
  }

  /**
   * Returns the user with this email, password (if the account has one) and unused recovery code.
   * @throws AppError UNAUTHORIZED, with the same message whichever of them is wrong; TOO_MANY_REQUESTS
   */
  function checkRecoveryCode(
    { email, password = '', recoveryCode }: { email: string; password?: string; recoveryCode: string },
    address: string,
  ): Promise<AuthUser> {
    const wrong =
      'The email, password or recovery code is wrong, or the code was already used. Check them and try again.'
    return signIn.byEmail({ email, address, method: 'recovery_code', wrong }, async (accounts) => {
      const match = await matchAccount(accounts, password)
      const withoutPassword = accounts.filter((user) => user.passwordHash === null && !user.disabledAt)
      for (const user of match ? [match.user, ...withoutPassword] : withoutPassword)
        if (await repo.spendRecoveryCode(user.id, hashRecoveryCode(recoveryCode), address)) return user
      return null
    })
  }

  return { passkeyOptions, checkPasskey, checkRecoveryCode }
}

/** The authenticator returns the user's ID, which the registration gave it. A passkey always has one. */
function isHandleOf(userId: string, handle: string | undefined): boolean {
  return handle === userHandleOf(userId).toString('base64url')
}

/** Returns the ID that authenticators store for a user: the bytes of its UUID. */
export function userHandleOf(userId: string): Buffer<ArrayBuffer> {
  return Buffer.from(userId.replaceAll('-', ''), 'hex')
}
