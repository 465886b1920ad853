import type { z } from 'zod'
import { type Clock, secondsAfter } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import { countUpTo, type RateCounter } from '../../kernel/rate-counter.ts'
import { hashToken } from '../../kernel/tokens.ts'
import type { Notices } from './notices.ts'
import type { ChallengePurpose, PasskeyChallenges } from './passkey-challenges.ts'
import { passkeyName } from './passkey-name.ts'
import type {
  NewCredential,
  passkeysOutput,
  RegistrationOptions,
  registerPasskeyOutput,
  SignInOptions,
  UsedCredential,
} from './passkey-schema.ts'
import type { Caller, SessionUser } from './principal.ts'
import { newRecoveryCodes } from './recovery-codes.ts'

type PasskeyView = z.input<typeof passkeysOutput>['items'][number]

/** Public part of a credential, as the authenticator created it. */
export type RegisteredCredential = {
  credentialId: string
  publicKey: Uint8Array<ArrayBuffer>
  counter: number
  transports: string[]
  backedUp: boolean
}

/** Challenge that a verified response answers. */
export type AnsweredChallenge = { challenge: string }

/** Checks WebAuthn's messages. `isExpected` checks the challenge. Null: the response is not valid. */
export type WebAuthn = {
  registrationOptions(
    user: { id: string; email: string; name: string | null },
    challenge: string,
    existing: { credentialId: string; transports: string[] }[],
  ): RegistrationOptions
  signInOptions(challenge: string): SignInOptions
  verifyRegistration(
    response: NewCredential,
    isExpected: (challenge: string) => boolean,
  ): Promise<(RegisteredCredential & AnsweredChallenge & { aaguid: string }) | null>
  verifySignIn(
    response: UsedCredential,
    credential: StoredCredential,
    isExpected: (challenge: string) => boolean,
  ): Promise<({ counter: number; backedUp: boolean } & AnsweredChallenge) | null>
}

/** Passkey as needed to verify a sign-in. */
export type StoredCredential = Omit<RegisteredCredential, 'backedUp'> & { id: string; userId: string }

/** Answered challenge to store, so that it works only once. */
export type ChallengeUse = { hash: string; expiresAt: Date }

/** Change of a user's passkeys, made in a session. */
export type PasskeyChange = { session: SessionUser; address: string; at: Date; onChange(): Promise<void> }

/**
 * `accessEnded`: the session has ended. `passkeyRequired`: the account requires a passkey, and the session was started
 * without one.
 */
export type ChangeRejection = 'accessEnded' | 'passkeyRequired'

/** Also writes each change to the audit log. `onChange` is called before a change; if it throws, nothing changes. */
export type PasskeyRepo = {
  list(userId: string): Promise<PasskeyView[]>
  /** Credentials of the user, so that the browser does not create a second one in the same authenticator. */
  credentials(userId: string): Promise<{ credentialId: string; transports: string[] }[]>
  settings(userId: string): Promise<{ required: boolean; recoveryCodes: number; hasPassword: boolean }>
  /**
   * Adds a passkey and marks the session as started with one. Stores the recovery codes if the user has none, and then
   * returns `first`.
   */
  add(
    passkey: RegisteredCredential & {
      id: string
      name: string
      recoveryCodes: string[]
      challenge: ChallengeUse
    },
    change: PasskeyChange,
    max: number,
  ): Promise<'first' | 'added' | 'taken' | 'challengeUsed' | 'tooMany' | ChangeRejection>
  rename(id: string, name: string, change: PasskeyChange): Promise<'done' | 'notFound' | ChangeRejection>
  /**
   * With the last passkey, also deletes the recovery codes. `lastSignInMethod`: the user could no longer sign in.
   * `lastOfAdministrator`: administrators must have one.
   */
  remove(
    id: string,
    change: PasskeyChange,
  ): Promise<'done' | 'notFound' | 'lastSignInMethod' | 'lastOfAdministrator' | ChangeRejection>
  setRequired(required: boolean, change: PasskeyChange): Promise<'done' | ChangeRejection>
  /** Deletes the hash of the user's password. `notFound`: the user has no passkey. */
  removePassword(change: PasskeyChange): Promise<'done' | 'notFound' | ChangeRejection>
  /** Replaces all codes. `notFound`: the user has no passkey. */
  replaceRecoveryCodes(
    hashes: string[],
    change: PasskeyChange,
  ): Promise<'done' | 'notFound' | ChangeRejection>

  /** True if this user's sign-ins need a passkey: they have one, and their choice or role requires it. */
  isRequired(userId: string): Promise<boolean>
  findCredential(credentialId: string): Promise<StoredCredential | null>
  /** Returns false if the challenge was used before, or the counter did not increase. */
  recordUse(
    id: string,
    use: { counter: number; backedUp: boolean; at: Date; challenge: ChallengeUse },
  ): Promise<boolean>
  /** Deletes the code and records its use. Returns false if the user has no such code. */
  spendRecoveryCode(userId: string, hash: string, address: string): Promise<boolean>
  /** Deletes challenges that have expired. Returns the number of deleted rows. */
  deleteExpired(at: Date, limit: number): Promise<number>
}

/** A user with more has probably lost track of them. */
export const MAX_PASSKEYS_PER_USER = 20
/** Each change writes an audit entry. */
const MAX_CHANGES_PER_DAY = 200

type PasskeysDeps = {
  repo: PasskeyRepo
  webauthn: WebAuthn
  challenges: PasskeyChallenges
  /** Counts by user and day. */
  changes: Pick<RateCounter, 'increment'>
  notices: Pick<Notices, 'newPasskey'>
  clock: Clock
}

export type Passkeys = ReturnType<typeof createPasskeys>

/** Manages a user's passkeys and recovery codes. */
export function createPasskeys({ repo, webauthn, challenges, changes, notices, clock }: PasskeysDeps) {
  const changeOf = (session: SessionUser, address: string): PasskeyChange => ({
    session,
    address,
    at: clock.now(),
    onChange: () =>
      countUpTo(
        MAX_CHANGES_PER_DAY,
        changes,
        session.id,
        `You can change your passkeys at most ${MAX_CHANGES_PER_DAY} times per day. Try again later.`,
      ),
  })

  async function list(userId: string) {
    const [items, settings] = await Promise.all([repo.list(userId), repo.settings(userId)])
    return { items, ...settings }
  }

  async function registrationOptions(session: SessionUser): Promise<RegistrationOptions> {
    const challenge = challenges.create(purposeOf(session))
    return webauthn.registrationOptions(session, challenge, await repo.credentials(session.id))
  }

  /**
   * Adds the passkey that answers `registrationOptions` of this session. The session then counts as started with it.
   * @throws AppError BAD_REQUEST (invalid response), CONFLICT (registered before, or too many), FORBIDDEN,
   * TOO_MANY_REQUESTS
   */
  async function register(
    session: SessionUser,
    input: { response: NewCredential; name?: string },
    { address, userAgent, language }: Caller,
  ): Promise<z.output<typeof registerPasskeyOutput>> {
    const verified = await webauthn.verifyRegistration(
      input.response,
      (challenge) => challenges.expiryOf(challenge, purposeOf(session)) !== null,
    )
    if (!verified) throw notAccepted('BAD_REQUEST')
    const { aaguid, challenge, ...credential } = verified
    const { codes, hashes } = newRecoveryCodes()
    const passkey = { id: newId(), name: input.name ?? passkeyName(aaguid, userAgent) }
    const added = await repo.add(
      {
        ...passkey,
        ...credential,
        recoveryCodes: hashes,
        challenge: challengeUse(challenges, challenge, purposeOf(session), clock),
      },
      changeOf(session, address),
      MAX_PASSKEYS_PER_USER,
    )
    if (added !== 'first' && added !== 'added') throw rejected(added)
    notices.newPasskey(session.id, language)
    return { ...passkey, recoveryCodes: added === 'first' ? codes : null }
  }

  /** @throws AppError NOT_FOUND, FORBIDDEN, TOO_MANY_REQUESTS */
  async function rename(session: SessionUser, { id, name }: { id: string; name: string }, address: string) {
    const result = isId(id) ? await repo.rename(id, name, changeOf(session, address)) : 'notFound'
    if (result !== 'done') throw rejected(result)
  }

  /** @throws AppError NOT_FOUND, CONFLICT (the last way to sign in), FORBIDDEN, TOO_MANY_REQUESTS */
  async function remove(session: SessionUser, id: string, address: string): Promise<void> {
    const result = isId(id) ? await repo.remove(id, changeOf(session, address)) : 'notFound'
    if (result !== 'done') throw rejected(result)
  }

  /** @throws AppError FORBIDDEN, TOO_MANY_REQUESTS */
  async function setRequired(session: SessionUser, required: boolean, address: string): Promise<void> {
    const result = await repo.setRequired(required, changeOf(session, address))
    if (result !== 'done') throw rejected(result)
  }

  /**
   * Removes the user's password, so that passkeys and linked providers are the only ways to sign in.
   * @throws AppError CONFLICT (no passkey), FORBIDDEN, TOO_MANY_REQUESTS
   */
  async function removePassword(session: SessionUser, address: string): Promise<void> {
    const result = await repo.removePassword(changeOf(session, address))
    if (result !== 'done') throw rejected(result === 'notFound' ? 'noOtherSignIn' : result)
  }

  /** Returns ten new codes; earlier ones stop working. @throws AppError CONFLICT (no passkey), FORBIDDEN, TOO_MANY_REQUESTS */
  async function createRecoveryCodes(session: SessionUser, address: string) {
    const { codes, hashes } = newRecoveryCodes()
    const result = await repo.replaceRecoveryCodes(hashes, changeOf(session, address))
    if (result !== 'done') throw rejected(result === 'notFound' ? 'noPasskey' : result)
    return { recoveryCodes: codes }
  }

  return {
    list,
    registrationOptions,
    register,
    rename,
    remove,
    setRequired,
    removePassword,
    createRecoveryCodes,
  }
}

const purposeOf = ({ sessionId }: SessionUser): ChallengePurpose => ({ sessionId })

/** Returns what to store of an answered challenge. */
export function challengeUse(
  challenges: PasskeyChallenges,
  challenge: string,
  purpose: ChallengePurpose,
  clock: Clock,
): ChallengeUse {
  // If it expired during the call, keep its row until it has also expired by the clocks of other replicas.
  const expiresAt = challenges.expiryOf(challenge, purpose) ?? clock.now()
  return { hash: hashToken(challenge), expiresAt: secondsAfter(expiresAt, CLOCK_LEEWAY_SECONDS) }
}

/** Maximum difference between the clocks of ready replicas. */
const CLOCK_LEEWAY_SECONDS = 120

/** The same error for every reason, because only attackers could use the reasons. */
export function notAccepted(code: 'BAD_REQUEST' | 'UNAUTHORIZED'): AppError {
  return new AppError(code, 'The passkey was not accepted. Start again, or use another passkey.')
}

/** Error for a sign-in or change that lacks the passkey the account requires. */
export function passkeyRequired(): AppError {
  return new AppError(
    'FORBIDDEN',
    'This account requires a passkey. Sign in with a passkey or a recovery code.',
    { data: { reason: 'passkey_required' } },
  )
}

const CONFLICTS = {
  taken: 'This passkey is already registered. Create a new one.',
  tooMany: `You can have at most ${MAX_PASSKEYS_PER_USER} passkeys. Delete one you no longer use.`,
  lastSignInMethod: 'This passkey is your only way to sign in. Set a password or add another passkey first.',
  lastOfAdministrator: 'Administrators must have a passkey. Add another one first.',
  noOtherSignIn: 'Without a password, you need a passkey to sign in. Add a passkey first.',
  noPasskey: 'Recovery codes replace a passkey. Add a passkey first.',
}

function rejected(reason: keyof typeof CONFLICTS | ChangeRejection | 'notFound' | 'challengeUsed'): AppError {
  if (reason === 'passkeyRequired') return passkeyRequired()
  if (reason === 'challengeUsed') return notAccepted('BAD_REQUEST')
  if (reason === 'notFound') return new AppError('NOT_FOUND', 'Passkey not found.')
  if (reason === 'accessEnded') return new AppError('UNAUTHORIZED', 'Your session has ended. Sign in again.')
  return new AppError('CONFLICT', CONFLICTS[reason])
}
