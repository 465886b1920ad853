import { createClient } from '@pigeonhole/client'
import { errorDetails } from '../context/error-text.ts'
import { postSignIn } from '../sign-in/auth-api.ts'

/** Shorter than the five minutes that a challenge is valid. */
const RENEW_AUTOFILL_MS = 4 * 60_000

/**
 * Asks the browser for a passkey and signs in with it. `autofill`: the browser offers passkeys in the email field, and
 * the call lasts until the user chooses one. Returns null, or an error code for `signInErrorKey`. Never throws.
 */
export async function signInWithPasskey({ autofill = false } = {}): Promise<string | null> {
  try {
    const optionsJSON = await createClient().session.passkeyOptions.mutate()
    const { startAuthentication } = await library()
    const response = await startAuthentication({ optionsJSON, useBrowserAutofill: autofill })
    const code = await postSignIn({ passkey: JSON.stringify(response) })
    return code === 'CredentialsSignin' ? 'PasskeyRejected' : code
  } catch (error) {
    return failureOf(error)
  }
}

/**
 * Offers passkeys in the email field while the page is shown, in browsers that can. Returns a function that stops this.
 * `onResult` gets the result of `signInWithPasskey`, but not that the user chose none.
 */
export function offerPasskeys(onResult: (code: string | null) => void): () => void {
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined

  async function offer() {
    if (!(await isAutofillSupported()) || stopped) return
    // Starting again cancels the previous offer, whose challenge is about to expire.
    timer = setTimeout(offer, RENEW_AUTOFILL_MS)
    const code = await signInWithPasskey({ autofill: true })
    if (!stopped && (code === null || code === 'PasskeyRejected')) onResult(code)
  }

  void offer()
  return () => {
    stopped = true
    clearTimeout(timer)
    void library().then(({ WebAuthnAbortService }) => WebAuthnAbortService.cancelCeremony())
  }
}

/** Error of creating a passkey in the browser, with a code for `errorText`. */
export class PasskeyError extends Error {
  readonly code: 'PASSKEY_CANCELED' | 'PASSKEY_EXISTS' | 'PASSKEY_FAILED'
  constructor(error: Error) {
    super(error.message, { cause: error })
    this.code =
      error.name === 'InvalidStateError'
        ? 'PASSKEY_EXISTS'
        : error.name === 'NotAllowedError' || error.name === 'AbortError'
          ? 'PASSKEY_CANCELED'
          : 'PASSKEY_FAILED'
  }
}

type RegistrationOptions = Awaited<
  ReturnType<ReturnType<typeof createClient>['passkeys']['registrationOptions']['mutate']>
>

/** Asks the browser to create a passkey. Returns what `passkeys.register` takes. @throws PasskeyError */
export async function createPasskey(optionsJSON: RegistrationOptions) {
  const { startRegistration } = await library()
  try {
    return await startRegistration({ optionsJSON })
  } catch (error) {
    throw new PasskeyError(error as Error)
  }
}

const library = () => import('@simplewebauthn/browser')

async function isAutofillSupported(): Promise<boolean> {
  if (!('PublicKeyCredential' in window)) return false
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false
}

function failureOf(error: unknown): string {
  const { name } = error as Error
  if (name === 'NotAllowedError' || name === 'AbortError') return 'PasskeyCanceled'
  if (name === 'TRPCClientError')
    return errorDetails(error).code === 'TOO_MANY_REQUESTS' ? 'TooManyRequests' : 'Unreachable'
  return 'PasskeyFailed'
}
