// Passkeys in software, for tests without a browser: answers WebAuthn's options like a browser with an authenticator that
// has verified its user. Independent of the library that the server verifies with.

import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const BACKUP_ELIGIBLE = 0x08
const BACKED_UP = 0x10
const ATTESTED_DATA = 0x40

/** Parts of a message that differ from the truth. */
export type Forgery = {
  origin?: string
  rpId?: string
  challenge?: string
  crossOrigin?: boolean
  /** False: the user was present, but not verified. */
  userVerified?: boolean
  counter?: number
  userHandle?: string
  /** CBOR of the format and the statement. */
  attestation?: Buffer
}

export type SoftwarePasskey = ReturnType<typeof createSoftwarePasskey>

/** A passkey that `register` and `signIn` use. `synchronized`: its counter stays 0. */
export function createSoftwarePasskey(origin: string, { synchronized = false } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  const id = credentialId.toString('base64url')
  let counter = 0
  let userHandle = Buffer.alloc(16).toString('base64url')

  const flags = (forgery: Forgery) =>
    USER_PRESENT |
    (forgery.userVerified === false ? 0 : USER_VERIFIED) |
    (synchronized ? BACKUP_ELIGIBLE | BACKED_UP : 0)
  const count = () => (synchronized ? 0 : ++counter)

  return {
    id,

    /** Answers the options of a registration. */
    register(
      options: { challenge: string; rp: { id: string }; user: { id: string } },
      forgery: Forgery = {},
    ) {
      userHandle = options.user.id
      const attested = Buffer.concat([
        Buffer.alloc(16),
        uint16(credentialId.length),
        credentialId,
        coseKey(publicKey),
      ])
      const data = authenticatorData(
        forgery.rpId ?? options.rp.id,
        flags(forgery) | ATTESTED_DATA,
        forgery.counter ?? count(),
        attested,
      )
      const attestation =
        forgery.attestation ?? Buffer.concat([text('fmt'), text('none'), text('attStmt'), map(0)])
      const attestationObject = Buffer.concat([map(3), attestation, text('authData'), bytes(data)])
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData('webauthn.create', options.challenge, forgery).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      }
    },

    /** Answers the options of a sign-in. */
    signIn(options: { challenge: string; rpId: string }, forgery: Forgery = {}) {
      const data = authenticatorData(forgery.rpId ?? options.rpId, flags(forgery), forgery.counter ?? count())
      const client = clientData('webauthn.get', options.challenge, forgery)
      const hash = createHash('sha256').update(client).digest()
      const signature = createSign('sha256').update(data).update(hash).sign(privateKey)
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: forgery.userHandle ?? userHandle,
        },
      }
    },
  }

  function clientData(type: string, challenge: string, forgery: Forgery): Buffer {
    const { crossOrigin = false } = forgery
    return Buffer.from(
      JSON.stringify({
        type,
        challenge: forgery.challenge ?? challenge,
        origin: forgery.origin ?? origin,
        crossOrigin,
      }),
    )
  }
}

/** WebAuthn, section 6.1. */
function authenticatorData(rpId: string, flags: number, counter: number, attested = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(flags)
  head.writeUInt32BE(counter, 1)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), head, attested])
}

/** ES256 public key (RFC 9053, 7.1.1): kty 2, alg -7, crv 1, x, y. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01])
  const point = (label: number, value: string) =>
    Buffer.concat([Buffer.from([label]), bytes(Buffer.from(value, 'base64url'))])
  return Buffer.concat([head, point(0x21, x), point(0x22, y)])
}

// CBOR (RFC 8949, section 3) in its shortest form, for lengths up to 65,535.
const item = (major: number, length: number) => {
  const first = major << 5
  if (length < 24) return Buffer.from([first | length])
  if (length < 256) return Buffer.from([first | 24, length])
  return Buffer.concat([Buffer.from([first | 25]), uint16(length)])
}
const bytes = (value: Buffer) => Buffer.concat([item(2, value.length), value])
export const text = (value: string) => Buffer.concat([item(3, value.length), Buffer.from(value)])
export const map = (pairs: number) => item(5, pairs)
const uint16 = (value: number) => {
  const buffer = Buffer.alloc(2)
  buffer.writeUInt16BE(value)
  return buffer
}
