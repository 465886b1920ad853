// Validity of tokens of AUTH_JWT_ISSUER, against a real issuer on loopback and with the test's clock.

import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSigningKey, type OidcEmulator, signJwt, startOidc } from '@pigeonhole/emulators/oidc'
import { generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createKeySet } from '../../../src/server/adapters/jwks/key-set.ts'
import { createLoadKeys } from '../../../src/server/adapters/jwks/load-keys.ts'
import { createTokenVerifier } from '../../../src/server/adapters/jwks/verify-token.ts'

const AUDIENCE = 'https://files.example.com'
const MINUTE = 60_000
let issuer: OidcEmulator
let now: number
const clock = { now: () => new Date(now) }

beforeAll(async () => {
  issuer = await startOidc({ clients: [], audience: AUDIENCE })
})
beforeEach(() => {
  now = Date.now()
  Object.assign(issuer.faults, { hold: false, status: undefined })
})
afterAll(() => issuer.close())

type Verifier = ReturnType<typeof createTokenVerifier>

function verifier(more: { issuer?: string; jwksUrl?: string } = {}): Verifier {
  const source = { issuer: issuer.issuer, jwksUrl: undefined, ...more }
  const keys = createKeySet({ load: createLoadKeys(source), clock, log: { warn() {} } })
  return createTokenVerifier({ issuer: source.issuer, audience: AUDIENCE, keys, clock })
}

const seconds = () => Math.floor(now / 1000)
const sub = 'ada'
const mint = (claims: object = {}, header?: Record<string, unknown>) =>
  issuer.mint({ sub, exp: seconds() + 300, ...claims }, header)
const rejection = (verify: Verifier, token: string) =>
  verify(token).then(
    () => 'accepted',
    (error) => {
      expect(error.code).toBe('UNAUTHORIZED')
      return error.message as string
    },
  )
const keyRequests = (since: number) =>
  issuer.requestLog.slice(since).filter((path) => path === '/jwks').length

/** Returns the same token with another header, so that its signature does not match. */
function withHeader(token: string, header: object): string {
  const encoded = Buffer.from(JSON.stringify(header)).toString('base64url')
  return [encoded, ...token.split('.').slice(1)].join('.')
}

test('a valid token is accepted, with its claims about the user', async () => {
  const token = mint({ email: 'Ada@Example.com', name: 'Ada' })
  expect(await verifier()(token)).toEqual({
    sub,
    email: 'Ada@Example.com',
    name: 'Ada',
    signedInAt: expect.any(Date),
  })
})

test.each(['JWT', 'at+jwt', undefined])('a token of the type %s is accepted', async (typ) => {
  expect(await rejection(verifier(), mint({}, { typ }))).toBe('accepted')
})

test.each(['RS384', 'PS256', 'ES512', 'EdDSA'])('a signature with %s is accepted', async (alg) => {
  const { publicKey, privateKey } = await generateKeyPair(alg)
  const verify = createTokenVerifier({
    issuer: issuer.issuer,
    audience: AUDIENCE,
    keys: { find: async () => publicKey },
    clock,
  })
  const claims = { iss: issuer.issuer, aud: AUDIENCE, sub, exp: seconds() + 300 }
  const token = await new SignJWT(claims).setProtectedHeader({ alg }).sign(privateKey)
  expect(await rejection(verify, token)).toBe('accepted')
})

test('the audience can be one of several', async () => {
  expect(await rejection(verifier(), mint({ aud: ['another', AUDIENCE] }))).toBe('accepted')
})

test('keys can be at a separate address, without discovery', async () => {
  const since = issuer.requestLog.length
  expect(await rejection(verifier({ jwksUrl: `${issuer.issuer}/jwks` }), mint())).toBe('accepted')
  expect(issuer.requestLog.slice(since)).toEqual(['/jwks'])
})

describe('the clock tolerance is exactly 60 seconds', () => {
  test.each([
    ['expired', { exp: -59 }, { exp: -61 }, /expired/],
    ['not yet valid', { nbf: 59 }, { nbf: 61 }, /not valid yet/],
  ])('%s', async (_, within, beyond, message) => {
    const at = (offsets: object) =>
      mint(Object.fromEntries(Object.entries(offsets).map(([name, by]) => [name, seconds() + by])))
    const verify = verifier()
    expect(await rejection(verify, at(within))).toBe('accepted')
    expect(await rejection(verify, at(beyond))).toMatch(message)
  })
})

describe('is rejected, with the reason', () => {
  const foreign = createSigningKey('RS256')
  const publicKey = () => issuer.key.publicKey.export({ type: 'spki', format: 'pem' })
  const hs256 = (token: string) => {
    const input = withHeader(token, { alg: 'HS256', kid: issuer.key.kid }).split('.').slice(0, 2).join('.')
    return `${input}.${createHmac('sha256', publicKey()).update(input).digest('base64url')}`
  }
  test.each<[string, () => string, RegExp]>([
    ['wrong audience', () => mint({ aud: 'https://other.example.com' }), /Wrong audience/],
    ['no audience', () => mint({ aud: undefined }), /Wrong audience/],
    ['wrong issuer', () => mint({ iss: `${issuer.issuer}/` }), /Wrong issuer/],
    [
      'unknown key',
      () => signJwt(foreign, { sub, iss: issuer.issuer, aud: AUDIENCE, exp: seconds() + 9 }),
      /Unknown key/,
    ],
    [
      'another key with a known key ID',
      () =>
        signJwt(
          { ...foreign, kid: issuer.key.kid },
          { sub, iss: issuer.issuer, aud: AUDIENCE, exp: seconds() + 9 },
        ),
      /signature is wrong/,
    ],
    [
      'changed claims',
      () => mint().replace(/\.[^.]+\./, `.${mint({ sub: 'eve' }).split('.')[1]}.`),
      /signature is wrong/,
    ],
    [
      'alg none',
      () => withHeader(mint(), { alg: 'none' }).replace(/[^.]*$/, ''),
      /algorithm is not supported/,
    ],
    ['HS256 signed with the public key', () => hs256(mint()), /algorithm is not supported/],
    ['no expiry', () => mint({ exp: undefined }), /`exp` is missing/],
    ['no subject', () => mint({ sub: undefined }), /`sub`/],
    ['an empty subject', () => mint({ sub: '' }), /`sub`/],
    ['a subject with a null character', () => mint({ sub: 'a\0b' }), /`sub`/],
    ['a subject with an unpaired surrogate', () => mint({ sub: 'a\ud800' }), /`sub`/],
    ['a subject of 256 characters', () => mint({ sub: 'a'.repeat(256) }), /`sub`/],
    ['a logout token', () => mint({}, { typ: 'logout+jwt' }), /typ/],
    ['a logout token whose type is JWT', () => mint({ events: {} }), /events/],
    ['an unknown critical header', () => mint({}, { crit: ['x'], x: 1 }), /malformed/],
    ['no JSON', () => 'YQ.YQ.YQ', /malformed/],
    ['more than 8192 characters', () => mint({ name: 'a'.repeat(8192) }), /8192/],
  ])('%s', async (_, token, message) => {
    expect(await rejection(verifier(), token())).toMatch(message)
  })
})

describe("the issuer's keys", () => {
  test('are requested once for any number of simultaneous callers', async () => {
    const since = issuer.requestLog.length
    const verify = verifier()
    await Promise.all(Array.from({ length: 20 }, () => verify(mint())))
    expect(keyRequests(since)).toBe(1)
  })

  test('a rotated key is found as soon as a token names it', async () => {
    const verify = verifier()
    await verify(mint())
    issuer.rotateKey()
    now += 31_000
    expect(await rejection(verify, mint())).toBe('accepted')
  })

  test('a withdrawn key is rejected after at most ten minutes', async () => {
    const verify = verifier()
    const old = mint({ exp: seconds() + 86_400 })
    await verify(old)
    issuer.rotateKey({ withdraw: true })
    now += 9 * MINUTE
    expect(await rejection(verify, old)).toBe('accepted')
    now += MINUTE
    await verify(old)
    // That caller did not wait. A caller with another unknown key waits for the same response.
    await rejection(verify, mint())
    expect(await rejection(verify, old)).toMatch(/Unknown key/)
  })

  test('ten thousand unknown key IDs cause one more request in 30 seconds', async () => {
    // Use only the keys, because checking ten thousand tokens takes many seconds.
    const load = createLoadKeys({ issuer: issuer.issuer, jwksUrl: undefined })
    const keys = createKeySet({ load, clock, log: { warn() {} } })
    const token = { payload: '', signature: '' }
    const forged = async () => {
      try {
        return await keys.find({ alg: 'RS256', kid: randomUUID() }, token)
      } catch (error) {
        return error instanceof Error && 'code' in error ? error.code : error
      }
    }
    expect(await forged()).toBe('ERR_JWKS_NO_MATCHING_KEY')
    now += 31_000
    const since = issuer.requestLog.length
    const answers = await Promise.all(Array.from({ length: 10_000 }, forged))
    expect(new Set(answers)).toEqual(new Set(['ERR_JWKS_NO_MATCHING_KEY']))
    expect(await forged()).toBe('ERR_JWKS_NO_MATCHING_KEY')
    expect(keyRequests(since)).toBe(1)
    now += 30_000
    await forged()
    expect(keyRequests(since)).toBe(2)
  })

  test('stay valid for the first hour of an outage of the issuer, with at most one request every 30 seconds', async () => {
    const verify = verifier()
    const good = mint({ exp: seconds() + 7200 })
    const forged = withHeader(good, { alg: 'RS256', kid: randomUUID() })
    await verify(good)
    issuer.faults.status = 503
    const since = issuer.requestLog.length
    for (let passed = 0; passed < 3600; passed += 30) {
      now += 30_000
      expect(await rejection(verify, good)).toBe('accepted')
      if (passed % 600 === 0) expect(await rejection(verify, forged)).toMatch(/Unknown key/)
    }
    expect(issuer.requestLog.length - since).toBeLessThanOrEqual(120)
    // Wait for a request that may still be in flight.
    await rejection(verify, forged)
    issuer.faults.status = undefined
    issuer.rotateKey({ withdraw: true })
    now += 31_000
    expect(await rejection(verify, mint())).toBe('accepted')
  })

  test('an issuer that hangs delays only callers with unknown keys, and by seconds', async () => {
    const verify = verifier()
    const good = mint({ exp: seconds() + 86_400 })
    await verify(good)
    issuer.faults.hold = true
    now += 11 * MINUTE
    const startedAt = performance.now()
    const order: string[] = []
    const forged = withHeader(good, { alg: 'RS256', kid: randomUUID() })
    const unknown = rejection(verify, forged).finally(() => order.push('unknown'))
    expect(await rejection(verify, good).finally(() => order.push('known'))).toBe('accepted')
    expect(await unknown).toMatch(/Unknown key/)
    expect(order).toEqual(['known', 'unknown'])
    // It never responds.
    expect(performance.now() - startedAt).toBeLessThan(25_000)
  })

  test('without any keys, a token is neither valid nor invalid; it works once the issuer recovers', async () => {
    const verify = verifier()
    issuer.faults.status = 503
    await expect(verify(mint())).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      retryAfterSeconds: 5,
    })
    issuer.faults.status = undefined
    await expect(verify(mint())).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' })
    now += 5_000
    expect(await rejection(verify, mint())).toBe('accepted')
  })

  test('a discovery document that names keys at a plain http address is rejected', async () => {
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ issuer: url, jwks_uri: 'http://192.0.2.1/jwks' })),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const load = createLoadKeys({ issuer: url, jwksUrl: undefined })
    await expect(load(new AbortController().signal)).rejects.toThrow('neither https nor on loopback')
    server.close()
  })

  test('another issuer’s discovery document is rejected', async () => {
    const other = `${issuer.issuer}/`
    await expect(verifier({ issuer: other })(mint({ iss: other }))).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
    })
  })
})
