import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { beforeEach, describe, expect, test } from 'vitest'
import type { S3Emulator } from '../src/s3/emulator.ts'
import { BUCKET, KEY, REGION, sdk, send, sendSigned, sha256, signed, testStore } from './s3.client.ts'

let store: S3Emulator
beforeEach(async () => {
  store = await testStore()
})

const PATH = `/${BUCKET}/a.txt`
const put = { method: 'PUT', path: PATH, body: 'hello' }

describe('a signature in the header', () => {
  test('is accepted if correct', async () => {
    expect((await sendSigned(store.url, put)).status).toBe(200)
    expect((await sendSigned(store.url, { path: PATH })).body).toBe('hello')
  })

  test.each([
    ['of another region', { region: 'us-east-1' }, 400, 'AuthorizationHeaderMalformed'],
    ['of another service', { service: 'ec2' }, 400, 'AuthorizationHeaderMalformed'],
    ['of another day', { credentialDate: '20200101' }, 400, 'AuthorizationHeaderMalformed'],
    ['with an unknown key', { accessKeyId: 'AKOTHER' }, 403, 'InvalidAccessKeyId'],
    ['with another secret', { secret: 'guess' }, 403, 'SignatureDoesNotMatch'],
    ['with a clock 16 minutes behind', { at: Date.now() - 16 * 60_000 }, 403, 'RequestTimeTooSkewed'],
    ['with a clock 16 minutes ahead', { at: Date.now() + 16 * 60_000 }, 403, 'RequestTimeTooSkewed'],
    ['without a signed host', { unsigned: ['host'] }, 403, 'AccessDenied'],
    ['with an unsigned date', { unsigned: ['x-amz-date'] }, 403, 'AccessDenied'],
  ])('is rejected %s', async (_name, options, status, code) => {
    expect(await sendSigned(store.url, { path: PATH }, options)).toMatchObject({ status, code })
  })

  test('of a wrong region gets an error that names the right one', async () => {
    const response = await sendSigned(store.url, { path: PATH }, { region: 'us-east-1' })
    expect(response.body).toContain(`<Region>${REGION}</Region>`)
  })

  test('must cover x-amz-*, content-type and content-md5 headers', async () => {
    const headers = { 'x-amz-acl': 'public-read', 'content-type': 'text/plain', 'content-md5': 'x' }
    const response = await sendSigned(store.url, { ...put, headers }, { unsigned: Object.keys(headers) })
    expect(response).toMatchObject({ status: 403, code: 'AccessDenied' })
    expect(response.body).toContain('There were headers present in the request which were not signed')
    expect(response.body).toMatch(/<HeadersNotSigned>x-amz-acl, content-type, content-md5</)
  })

  test('is rejected if a signed header is changed or missing', async () => {
    const request = signed(store.url, {
      ...put,
      headers: { 'content-type': 'text/plain', 'x-amz-meta-a': '1' },
    })
    const changed = { ...request, headers: { ...request.headers, 'x-amz-meta-a': '2' } }
    const response = await send(store.url, changed)
    expect(response).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' })
    expect(response.body).toContain(`<AWSAccessKeyId>${KEY.accessKeyId}</AWSAccessKeyId>`)
    expect(response.body).toContain('<StringToSign>AWS4-HMAC-SHA256')
    const { 'x-amz-meta-a': _, ...rest } = request.headers ?? {}
    expect((await send(store.url, { ...request, headers: rest })).code).toBe('SignatureDoesNotMatch')
  })

  test('is rejected if method, path or query are changed', async () => {
    const request = signed(store.url, { path: PATH })
    for (const other of [{ path: `${PATH}x` }, { path: `${PATH}?uploads` }, { method: 'DELETE' }]) {
      expect((await send(store.url, { ...request, ...other })).code).toBe('SignatureDoesNotMatch')
    }
  })

  test('must match the body, which is not stored otherwise', async () => {
    const request = signed(store.url, { ...put, headers: { 'x-amz-content-sha256': sha256('other') } })
    expect(await send(store.url, request)).toMatchObject({ status: 400, code: 'XAmzContentSHA256Mismatch' })
    expect(store.requestLog.objects()).toEqual([])
  })

  test('can be UNSIGNED-PAYLOAD, requires the header, and rejects other values', async () => {
    const ask = (value: string) =>
      sendSigned(store.url, { ...put, headers: { 'x-amz-content-sha256': value } })
    expect((await ask('UNSIGNED-PAYLOAD')).status).toBe(200)
    expect((await ask('STREAMING-WHATEVER')).code).toBe('InvalidArgument')
    const { 'x-amz-content-sha256': _, ...headers } = signed(store.url, put).headers ?? {}
    expect(await send(store.url, { ...put, headers })).toMatchObject({ status: 400, code: 'InvalidRequest' })
  })

  test('is rejected if it has version 2, is repeated, malformed or missing', async () => {
    const date = new Date().toUTCString()
    const ask = (authorization: string) => send(store.url, { path: PATH, headers: { date, authorization } })
    expect((await ask('AWS AK:sig')).code).toBe('InvalidRequest')
    expect((await ask('AWS4-HMAC-SHA256 Credential=x')).code).toBe('AuthorizationHeaderMalformed')
    const both = await send(store.url, {
      path: `${PATH}?X-Amz-Algorithm=AWS4-HMAC-SHA256`,
      headers: { authorization: 'x' },
    })
    expect(both.code).toBe('InvalidArgument')
    expect(await send(store.url, { path: PATH })).toMatchObject({ status: 403, code: 'AccessDenied' })
  })
})

describe('a presigned URL', () => {
  const presign = (key: string, options = {}) =>
    getSignedUrl(sdk(store.url), new GetObjectCommand({ Bucket: BUCKET, Key: key }), options)

  test('expires by the store’s clock', async () => {
    await sendSigned(store.url, put)
    const url = await presign('a.txt', { expiresIn: 60 })
    expect((await fetch(url)).status).toBe(200)
    store.faults.setClockOffset(61_000)
    const late = await fetch(url)
    expect(late.status).toBe(403)
    expect(await late.text()).toMatch(
      /<Code>AccessDenied<\/Code><Message>Request has expired<.*<ServerTime>/s,
    )
    store.faults.setClockOffset(-16 * 60_000)
    expect(await (await fetch(url)).text()).toContain('Request is not valid yet')
  })

  test.each([
    ['X-Amz-Expires=900', 'X-Amz-Expires=901', 403, 'SignatureDoesNotMatch'],
    ['X-Amz-Expires=900', 'X-Amz-Expires=604801', 400, 'AuthorizationQueryParametersError'],
    ['X-Amz-Expires=900', 'X-Amz-Expires=0', 400, 'AuthorizationQueryParametersError'],
    ['X-Amz-Expires=900', 'X-Amz-Expires=soon', 400, 'AuthorizationQueryParametersError'],
    ['&X-Amz-Expires=900', '', 400, 'AuthorizationQueryParametersError'],
    ['AWS4-HMAC-SHA256', 'AWS4-HMAC-SHA1', 400, 'AuthorizationQueryParametersError'],
    [`%2F${REGION}%2F`, '%2Fus-east-1%2F', 400, 'AuthorizationQueryParametersError'],
    [KEY.accessKeyId, 'AKOTHER', 403, 'InvalidAccessKeyId'],
    ['SignedHeaders=host', 'SignedHeaders=date', 403, 'AccessDenied'],
    ['X-Amz-Signature=', 'X-Amz-Signature=0', 403, 'SignatureDoesNotMatch'],
    ['/a.txt', '/b.txt', 403, 'SignatureDoesNotMatch'],
    ['X-Amz-Date=', 'X-Amz-Security-Token=t&X-Amz-Date=', 400, 'InvalidToken'],
  ])('is rejected with %s changed to %s', async (from, to, status, code) => {
    const url = (await presign('a.txt')).replace(from, to)
    const response = await fetch(url)
    expect(response.status).toBe(status)
    expect(await response.text()).toContain(`<Code>${code}</Code>`)
  })

  test('cannot be used for another method', async () => {
    const response = await fetch(await presign('a.txt'), { method: 'PUT', body: 'x' })
    expect(await response.text()).toContain('SignatureDoesNotMatch')
  })

  test('requires the signed type, length and x-amz-* headers', async () => {
    const command = new PutObjectCommand({
      Bucket: BUCKET,
      Key: 'p',
      ContentType: 'image/png',
      ContentLength: 5,
    })
    const signableHeaders = new Set(['content-type', 'content-length', 'host'])
    const url = await getSignedUrl(sdk(store.url), command, { signableHeaders })
    const type = { 'content-type': 'image/png' }
    const ask = async (body: string, headers: Record<string, string>) => {
      const response = await fetch(url, { method: 'PUT', body, headers })
      return /<Code>(\w+)/.exec(await response.text())?.[1] ?? response.status
    }
    expect(await ask('123456', type)).toBe('SignatureDoesNotMatch')
    expect(await ask('12345', { 'content-type': 'text/html' })).toBe('SignatureDoesNotMatch')
    expect(await ask('12345', { ...type, 'x-amz-acl': 'public-read' })).toBe('AccessDenied')
    expect(store.requestLog.objects()).toEqual([])
    expect(await ask('12345', type)).toBe(200)
    store.faults.setQuirks({ ignoreUnsignedAmzHeaders: true })
    expect(await ask('12345', { ...type, 'x-amz-acl': 'public-read' })).toBe(200)
  })

  test('of the SDK’s default mode contains the checksum of an empty body and is rejected', async () => {
    const client = sdk(store.url, { requestChecksumCalculation: 'WHEN_SUPPORTED' })
    const url = await getSignedUrl(client, new PutObjectCommand({ Bucket: BUCKET, Key: 'p' }))
    expect(await (await fetch(url, { method: 'PUT', body: 'x' })).text()).toContain('<Code>BadDigest</Code>')
  })
})

describe('permissions', () => {
  test('let anyone read a public prefix or object, and nothing else', async () => {
    const acl = { 'x-amz-acl': 'public-read' }
    await sendSigned(store.url, { ...put, path: `/${BUCKET}/pub/a` })
    await sendSigned(store.url, { ...put, path: `/${BUCKET}/acl`, headers: acl })
    await sendSigned(store.url, { ...put, path: `/${BUCKET}/private` })
    store.faults.publicRead({ bucket: BUCKET, prefix: 'pub/' })
    expect((await send(store.url, { path: `/${BUCKET}/pub/a` })).status).toBe(200)
    expect((await send(store.url, { path: `/${BUCKET}/acl` })).status).toBe(200)
    expect((await send(store.url, { path: `/${BUCKET}/private` })).code).toBe('AccessDenied')
    expect((await send(store.url, { method: 'PUT', path: `/${BUCKET}/pub/a`, body: 'x' })).code).toBe(
      'AccessDenied',
    )
    const override = await send(store.url, { path: `/${BUCKET}/pub/a?response-content-type=text/html` })
    expect(override).toMatchObject({ status: 400, code: 'InvalidRequest' })
  })

  test('include a second credential with its session token', async () => {
    const other = { accessKeyId: 'ASTEMP', secretAccessKey: 's2', sessionToken: 'tok' }
    const two = await testStore({ additionalCredentials: [other] })
    await sdk(two.url, { credentials: other }).send(
      new PutObjectCommand({ Bucket: BUCKET, Key: 'k', Body: 'x' }),
    )
    const options = { accessKeyId: 'ASTEMP', secret: 's2' }
    expect((await sendSigned(two.url, put, options)).code).toBe('InvalidToken')
  })
})
