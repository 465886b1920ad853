import type { AuthenticatorTransport } from '@simplewebauthn/server'
import { CHALLENGE_SECONDS } from '../../domain/accounts/passkey-challenges.ts'
import { userHandleOf } from '../../domain/accounts/passkey-sign-in.ts'
import type { WebAuthn } from '../../domain/accounts/passkeys.ts'

/** EdDSA, ES256 and RS256 (COSE's numbers), which cover all authenticators. */
const ALGORITHMS = [-8, -7, -257]

/**
 * Checks WebAuthn's messages for this site. The relying party is the host of NEXTAUTH_URL, and only pages on its origin
 * are accepted. Users must be verified by their device (fingerprint, face or PIN), so a passkey alone is two factors.
 */
export function createWebAuthn(baseUrl: string): WebAuthn {
  const { origin, hostname } = new URL(baseUrl)
  const expected = { expectedOrigin: origin, expectedRPID: hostname, requireUserVerification: true }
  const timeout = CHALLENGE_SECONDS * 1000
  // Loaded on first use: most processes check passwords more often, and loading takes 0.1 s.
  const library = () => import('@simplewebauthn/server')
  const helpers = () => import('@simplewebauthn/server/helpers')

  return {
    registrationOptions: (user, challenge, existing) => ({
      challenge,
      rp: { id: hostname, name: 'Pigeonhole' },
      user: {
        id: userHandleOf(user.id).toString('base64url'),
        name: user.email,
        displayName: user.name ?? user.email,
      },
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      timeout,
      attestation: 'none',
      excludeCredentials: existing.map(({ credentialId, transports }) => ({
        id: credentialId,
        type: 'public-key',
        transports,
      })),
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
    }),

    signInOptions: (challenge) => ({ challenge, rpId: hostname, timeout, userVerification: 'required' }),

    verifyRegistration: (response, isExpected) =>
      nullIfInvalid(async () => {
        const { verifyRegistrationResponse } = await library()
        const { decodeAttestationObject, isoBase64URL } = await helpers()
        // Certificates prove nothing that this service asks for, and the library would fetch the lists they name.
        const attestation = decodeAttestationObject(
          isoBase64URL.toBuffer(response.response.attestationObject),
        )
        const format = attestation.get('fmt')
        if (format !== 'none' && (format !== 'packed' || attestation.get('attStmt').get('x5c'))) return null
        const challenge = await challengeOf(response.response.clientDataJSON)
        const { verified, registrationInfo } = await verifyRegistrationResponse({
          ...expected,
          response: { ...response, response: withTransports(response.response), clientExtensionResults: {} },
          expectedChallenge: isExpected,
          supportedAlgorithmIDs: ALGORITHMS,
        })
        if (!verified || challenge === null) return null
        const { credential, credentialBackedUp: backedUp, aaguid } = registrationInfo
        const { id: credentialId, publicKey, counter } = credential
        const transports = response.response.transports ?? []
        return { credentialId, publicKey, counter, transports, backedUp, aaguid, challenge }
      }),

    verifySignIn: (response, { credentialId, publicKey, counter }, isExpected) =>
      nullIfInvalid(async () => {
        const { verifyAuthenticationResponse } = await library()
        const challenge = await challengeOf(response.response.clientDataJSON)
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          ...expected,
          response: { ...response, clientExtensionResults: {} },
          expectedChallenge: isExpected,
          credential: { id: credentialId, publicKey, counter },
        })
        if (!verified || challenge === null) return null
        const { newCounter, credentialBackedUp: backedUp } = authenticationInfo
        return { counter: newCounter, backedUp, challenge }
      }),
  }

  /** Returns the challenge, or null if the page was in a frame of another site, which the library accepts. */
  async function challengeOf(clientDataJSON: string): Promise<string | null> {
    const { decodeClientDataJSON } = await helpers()
    const { challenge, crossOrigin } = decodeClientDataJSON(clientDataJSON)
    return crossOrigin ? null : challenge
  }
}

/** The library throws for every kind of invalid response, with a message that quotes the caller. */
async function nullIfInvalid<T>(verify: () => Promise<T | null>): Promise<T | null> {
  try {
    return await verify()
  } catch {
    return null
  }
}

/** The type lists the transports known today. Others are passed on to browsers, which ignore those they do not know. */
function withTransports<T extends { transports?: string[] | undefined }>(response: T) {
  return { ...response, transports: response.transports as AuthenticatorTransport[] | undefined }
}
