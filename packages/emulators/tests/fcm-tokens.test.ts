import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { connect } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applicationDefault } from 'firebase-admin/app'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { writeFcmCredentials } from '../src/fcm/credentials.ts'
import { type FcmEmulator, startFcm } from '../src/fcm/emulator.ts'
import { ensureTls } from '../src/tls.ts'

const PROJECT = 'test-project'
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const account = generateKeyPairSync('rsa', { modulusLength: 2048 })
const EMAIL = 'sender@test-project.iam.gserviceaccount.com'

let fcm: FcmEmulator
let dir: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'emulator-fcm-'))
  fcm = await startFcm({
    projectId: PROJECT,
    controlPort: 0,
    validAccessTokens: ['good'],
    serviceAccounts: [
      { clientEmail: EMAIL, publicKey: account.publicKey.export({ type: 'spki', format: 'pem' }).toString() },
    ],
  })
})
afterEach(() => {
  fcm.faults.reset()
  fcm.requestLog.clear()
  vi.unstubAllEnvs()
})
afterAll(async () => {
  await fcm.close()
  await rm(dir, { recursive: true })
})

async function send(
  body: unknown,
  { authorization }: { authorization: string },
): Promise<{ status: number }> {
  const response = await fetch(`${fcm.url}/v1/projects/${PROJECT}/messages:send`, {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify(body),
  })
  await response.text()
  return { status: response.status }
}

const hello = { message: { token: 'device-1', notification: { title: 'a', body: 'b' } } }

describe('access tokens', () => {
  const ask = async (form: Record<string, string>) => {
    const response = await fetch(fcm.tokenEndpoint.url, { method: 'POST', body: new URLSearchParams(form) })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }
  const assertion = (claims: object, key = account.privateKey) => {
    const segment = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const now = Math.floor(Date.now() / 1000)
    const aud = 'https://oauth2.googleapis.com/token'
    const text = `${segment({ alg: 'RS256' })}.${segment({ iss: EMAIL, aud, iat: now, exp: now + 3600, scope: SCOPE, ...claims })}`
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
  }
  const grant = (text: string) =>
    ask({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: text })

  test('firebase-admin gets a valid one with the written credentials file', async () => {
    const file = join(dir, 'credentials.json')
    await writeFcmCredentials(file, fcm.credentials)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file)
    const { access_token: token, expires_in: seconds } = await applicationDefault().getAccessToken()
    expect(seconds).toBeGreaterThan(3500)
    expect(await send(hello, { authorization: `Bearer ${token}` })).toMatchObject({ status: 200 })
    expect(await readFile(file, 'utf8')).not.toContain(fcm.credentials.subjectToken)
  })

  test.each([
    ['subject_token', 'wrong', 'invalid_grant'],
    ['audience', '//iam.googleapis.com/other', 'invalid_target'],
    ['requested_token_type', 'x', 'invalid_request'],
    ['subject_token_type', 'x', 'invalid_request'],
    ['grant_type', 'password', 'unsupported_grant_type'],
  ])('are not issued with a wrong %s', async (field, value, error) => {
    const right = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience: fcm.credentials.audience,
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      subject_token: fcm.credentials.subjectToken,
      scope: SCOPE,
    }
    expect(await ask(right)).toMatchObject({ status: 200 })
    expect(await ask({ ...right, [field]: value })).toMatchObject({ status: 400, body: { error } })
  })

  test('a service account gets one with a signed assertion, and it expires', async () => {
    const { body } = await grant(assertion({}))
    const authorization = `Bearer ${body.access_token}`
    expect(await send(hello, { authorization })).toMatchObject({ status: 200 })
    fcm.tokens.lifetimeSeconds = 0
    const short = await grant(assertion({}))
    fcm.tokens.lifetimeSeconds = 3600
    expect(await send(hello, { authorization: `Bearer ${short.body.access_token}` })).toMatchObject({
      status: 401,
    })
    fcm.tokens.revokeAll()
    expect(await send(hello, { authorization })).toMatchObject({ status: 401 })
  })

  test('are revoked, shortened and withheld through the control server', async () => {
    const order = async (body: object) => {
      const options = { method: 'POST', body: JSON.stringify(body) }
      return (await fetch(`${fcm.control?.url}/tokens`, options)).json()
    }
    const { body } = await grant(assertion({}))
    const authorization = `Bearer ${body.access_token}`
    expect(await order({ revokeAll: true, lifetimeSeconds: 60, failWith: 503 })).toMatchObject({
      lifetimeSeconds: 60,
    })
    expect(await send(hello, { authorization })).toMatchObject({ status: 401 })
    expect(await grant(assertion({}))).toMatchObject({ status: 503 })
    await order({ lifetimeSeconds: 3600, failWith: null })
    expect(await grant(assertion({}))).toMatchObject({ status: 200, body: { expires_in: 3600 } })
  })

  test('with another scope cannot send', async () => {
    const { body } = await grant(assertion({ scope: 'https://www.googleapis.com/auth/drive' }))
    expect(await send(hello, { authorization: `Bearer ${body.access_token}` })).toMatchObject({ status: 403 })
  })

  test.each([
    ['a foreign key', () => assertion({}, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)],
    ['an unknown account', () => assertion({ iss: 'x@y' })],
    ['a wrong audience', () => assertion({ aud: 'https://example.com' })],
    ['expired', () => assertion({ iat: 1, exp: 2 })],
    ['no JWT', () => 'x'],
  ])('are not issued for an assertion with %s: invalid_grant', async (_, text) => {
    expect(await grant(text())).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
})

describe('protocols', () => {
  test('are HTTP/2 and HTTP/1.1 by ALPN with TLS, and HTTP/2 with prior knowledge without', async () => {
    const tls = await ensureTls(join(dir, 'tls'))
    const ca = await readFile(tls.caFile, 'utf8')
    const secure = await startFcm({ projectId: PROJECT, validAccessTokens: ['good'], tls })
    const path = `/v1/projects/${PROJECT}/messages:send`
    try {
      for (const url of [secure.url, fcm.url]) {
        const session = connect(url, { ca })
        await new Promise((resolve) => session.once('remoteSettings', resolve))
        expect(session.remoteSettings.maxConcurrentStreams).toBe(100)
        const stream = session.request({ ':method': 'POST', ':path': path, authorization: 'Bearer good' })
        stream.end(JSON.stringify(hello))
        const status = await new Promise((resolve) =>
          stream.on('response', (headers) => resolve(headers[':status'])),
        )
        expect(status).toBe(200)
        session.destroy()
      }
      const status = await new Promise((resolve) => {
        const call = httpsRequest(secure.url + path, {
          ca,
          method: 'POST',
          headers: { authorization: 'Bearer good' },
        })
        call.on('response', (response) => resolve(response.resume().statusCode))
        call.end(JSON.stringify(hello))
      })
      expect(status).toBe(200)
    } finally {
      await secure.close()
    }
  })
})
