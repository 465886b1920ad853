import * as s3 from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, test } from 'vitest'
import type { S3Emulator } from '../src/s3/emulator.ts'
import { BUCKET, sdk, send, sendSigned, testStore } from './s3.client.ts'

const ORIGIN = 'http://localhost:3000'
const path = `/${BUCKET}/a`
let store: S3Emulator
beforeEach(async () => {
  store = await testStore({ corsOrigins: [ORIGIN] })
})

const preflight = (origin = ORIGIN, method = 'PUT', headers = 'Content-Type, X-Amz-Meta-A') =>
  send(store.url, {
    method: 'OPTIONS',
    path,
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': headers },
  })

describe('the initial CORS configuration', () => {
  test('responds to a preflight without a signature', async () => {
    const { status, headers } = await preflight()
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'GET, PUT, HEAD',
      'access-control-allow-headers': 'content-type, x-amz-meta-a',
      'access-control-expose-headers': 'ETag',
    })
    expect(headers.vary).toContain('Origin')
  })

  test('rejects other origins and methods', async () => {
    for (const response of [await preflight('http://evil.example'), await preflight(ORIGIN, 'DELETE')]) {
      expect(response).toMatchObject({ status: 403, code: 'AccessForbidden' })
      expect(response.headers['access-control-allow-origin']).toBeUndefined()
    }
    expect((await send(store.url, { method: 'OPTIONS', path })).status).toBe(400)
  })

  test('adds headers to responses and errors only for the allowed origin', async () => {
    const ask = (origin: string) =>
      sendSigned(store.url, { method: 'PUT', path, body: 'x', headers: { origin } })
    const response = await ask(ORIGIN)
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-expose-headers': 'ETag',
    })
    const stranger = await ask('http://evil.example')
    expect(stranger.status).toBe(200)
    expect(stranger.headers['access-control-allow-origin']).toBeUndefined()
    const error = await send(store.url, { path, headers: { origin: ORIGIN } })
    expect(error).toMatchObject({ status: 403, headers: { 'access-control-allow-origin': ORIGIN } })
  })

  test('can hide the ETag', async () => {
    store.faults.setQuirks({ hideEtagFromCors: true })
    const response = await sendSigned(store.url, {
      method: 'PUT',
      path,
      body: 'x',
      headers: { origin: ORIGIN },
    })
    expect(response.headers['access-control-allow-origin']).toBe(ORIGIN)
    expect(response.headers['access-control-expose-headers']).toBeUndefined()
  })
})

describe('a CORS configuration of the bucket', () => {
  const CORSRules: s3.CORSRule[] = [
    {
      AllowedOrigins: ['https://*.example.com'],
      AllowedMethods: ['GET'],
      AllowedHeaders: ['x-amz-*'],
      ExposeHeaders: ['ETag', 'x-amz-request-id'],
      MaxAgeSeconds: 600,
    },
    { AllowedOrigins: ['*'], AllowedMethods: ['PUT'] },
  ]
  const config = (rules = CORSRules) =>
    new s3.PutBucketCorsCommand({ Bucket: BUCKET, CORSConfiguration: { CORSRules: rules } })

  test('replaces the initial one, with wildcards, and is returned', async () => {
    const client = sdk(store.url)
    await client.send(config())
    const { CORSRules: given } = await client.send(new s3.GetBucketCorsCommand({ Bucket: BUCKET }))
    expect(given).toMatchObject(CORSRules)
    const got = await preflight('https://a.example.com', 'GET', 'X-Amz-Date')
    expect(got).toMatchObject({ status: 200, headers: { 'access-control-max-age': '600' } })
    expect((await preflight('https://a.example.com', 'GET', 'content-type')).status).toBe(403)
    expect((await preflight('https://example.org', 'GET', '')).status).toBe(403)
    const any = await preflight('https://example.org', 'PUT', '')
    expect(any.headers['access-control-allow-origin']).toBe('*')
    expect(any.headers['access-control-allow-credentials']).toBeUndefined()
  })

  test('is deleted together with the initial one', async () => {
    const client = sdk(store.url)
    await client.send(new s3.DeleteBucketCorsCommand({ Bucket: BUCKET }))
    expect((await preflight()).body).toContain('CORS is not enabled for this bucket')
    await expect(client.send(new s3.GetBucketCorsCommand({ Bucket: BUCKET }))).rejects.toMatchObject({
      name: 'NoSuchCORSConfiguration',
    })
  })

  test('is rejected with unknown methods or two wildcards', async () => {
    const client = sdk(store.url)
    const bad = [
      { AllowedOrigins: ['*'], AllowedMethods: ['PATCH'] },
      { AllowedOrigins: ['*.a.*'], AllowedMethods: ['GET'] },
    ]
    for (const rule of bad)
      await expect(client.send(config([rule]))).rejects.toMatchObject({ name: 'InvalidRequest' })
  })
})
