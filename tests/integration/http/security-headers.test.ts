// Headers of every response, and what clients cannot control with their own headers. Against the built server.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_SECRET, type BuiltServer, startBuiltServer } from '../../support/process/built-server.ts'
import { sharedServer } from '../../support/process/shared-server.ts'
import { sendRaw, statuses } from '../../support/raw-http.ts'

let server: BuiltServer
const SITE = 'https://files.example.com'
const CDN = 'https://cdn.example.com'

beforeAll(async () => {
  server = await startBuiltServer({
    NEXTAUTH_URL: SITE,
    S3_PUBLIC_URL: `${CDN}/public`,
    GITHUB_ID: 'id',
    GITHUB_SECRET: 'secret',
    TRUST_PROXY: '1',
    // The limit per address is ten times as high as the one per account.
    SIGNIN_FAILURES_PER_15_MIN: '1',
  })
})
afterAll(() => server?.close())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { headers, redirect: 'manual' })

function directives(response: Response): Record<string, string[]> {
  const parts = (response.headers.get('content-security-policy') ?? '').split('; ')
  return Object.fromEntries(parts.map((part) => [part.split(' ')[0], part.split(' ').slice(1)]))
}

test.each([
  '/signin',
  '/no/such/page',
  '/api/health/live',
  '/api/trpc/account.usage',
  '/api/push/send',
  '/api/openapi.json',
  '/files/1',
  '/_next/static/nothing.js',
  '/api/auth/providers',
])('%s has the headers', async (path) => {
  const { headers } = await get(path)
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-site',
    'strict-transport-security': 'max-age=31536000',
    'permissions-policy': expect.stringContaining('camera=()'),
    'referrer-policy': expect.stringMatching(/^(strict-origin-when-cross-origin|no-referrer)$/),
    'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  expect(headers.get('x-powered-by')).toBeNull()
})

test('without https, there is no HSTS', async () => {
  const { headers } = await fetch(`${(await sharedServer()).url}/api/health/live`)
  expect(headers.get('strict-transport-security')).toBeNull()
})

test('/_next/image, which no page uses, is not available', async () => {
  expect((await get('/_next/image?url=%2Ficon.svg&w=64&q=75')).status).toBe(404)
  expect((await get('/_next/image?url=https%3A%2F%2Fevil.example%2Fa.png&w=64&q=75')).status).toBe(404)
})

test('/.well-known/security.txt has the contact', async () => {
  const response = await get('/.well-known/security.txt')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  const fields = Object.fromEntries(
    (await response.text())
      .trim()
      .split('\n')
      .map((line) => line.split(/: (.*)/).slice(0, 2)),
  )
  expect(fields).toMatchObject({
    Contact: 'mailto:security@files.example.com',
    Canonical: `${SITE}/.well-known/security.txt`,
  })
  const days = (Date.parse(fields.Expires) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(1)
  expect(days).toBeLessThan(365)
})

test.each(['/api/health/live', '/api/trpc/account.usage', '/api/push/send', '/files/1'])(
  '%s gets its route’s response: headers that control pages do not affect data, and `Vary` does not name them',
  async (path) => {
    const answer = await get(path, { rsc: '1', 'next-router-prefetch': '1', 'next-action': 'x' })
    expect([200, 401, 405]).toContain(answer.status)
    expect(answer.headers.get('vary') ?? '').not.toMatch(/rsc|next-/)
  },
)

describe('the content security policy', () => {
  test('of pages allows only the store and public files', async () => {
    const policy = directives(await get('/signin'))
    const store = new URL(server.env.S3_ENDPOINT!).origin
    expect(policy).toMatchObject({
      'default-src': ["'self'"],
      'connect-src': ["'self'", store],
      'img-src': ["'self'", 'data:', 'blob:', store, CDN, 'https:'],
      'media-src': ["'self'", 'data:', 'blob:', store, CDN],
      'frame-src': [store],
      'base-uri': ["'none'"],
      'object-src': ["'none'"],
      'form-action': ["'self'", 'https://github.com'],
      'frame-ancestors': ["'none'"],
      'style-src': ["'self'", "'unsafe-inline'"],
    })
    expect(policy['script-src']).toEqual(["'self'", expect.stringMatching(/^'nonce-[A-Za-z0-9+/]{22}=='$/)])
  })

  test.each(['/signin', '/no/such/page'])(
    '%s: each script has the nonce, which is new each time',
    async (path) => {
      const seen = new Set<string>()
      for (let i = 0; i < 3; i++) {
        const response = await get(path)
        const nonce = /'nonce-([^']+)'/.exec(response.headers.get('content-security-policy')!)![1]!
        seen.add(nonce)
        const scripts = [...(await response.text()).matchAll(/<script\b[^>]*>/g)].map((m) => m[0])
        expect(scripts.length).toBeGreaterThan(0)
        for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`)
      }
      expect(seen.size).toBe(3)
    },
  )

  test('of shared links allows no script and only pictures, that of a file only our script, and that of other responses nothing', async () => {
    expect(directives(await get(`/s/${'x'.repeat(43)}`))).toEqual({
      'default-src': ["'none'"],
      'style-src': ["'self'"],
      'img-src': ["'self'", new URL(server.env.S3_ENDPOINT!).origin],
      'form-action': ["'self'"],
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
    })
    expect(directives(await get('/files/1'))).toEqual({
      'default-src': ["'self'"],
      'object-src': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'self'"],
      'frame-ancestors': ["'none'"],
    })
    for (const path of [
      '/api/health/live',
      '/api/push/send',
      '/files/1/thumbnail',
      '/_next/static/nothing.js',
    ])
      expect(directives(await get(path)), path).toEqual({
        'default-src': ["'none'"],
        'frame-ancestors': ["'none'"],
      })
  })

  test('clients cannot set a policy', async () => {
    const forged = "script-src 'nonce-forged'"
    const response = await get('/signin', { 'content-security-policy': forged })
    expect(response.headers.get('content-security-policy')).not.toContain('forged')
    expect(await response.text()).not.toContain('forged')
    const data = await get('/no/such', { 'content-security-policy-report-only': forged })
    expect(await data.text()).not.toContain('forged')
  })
})

describe('clients cannot choose the target of redirects', () => {
  const hosts = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    forwarded: 'host=evil.example',
  }

  test.each([
    ['/files/1', { accept: 'text/html' }],
    ['/api/auth/signin', {}],
    ['/api/auth/error?error=Configuration', {}],
    ['/api/auth/signout', {}],
    ['/', { accept: 'text/html' }],
    ['/signin/', {}],
    ['//evil.example/%2e%2e', {}],
    ['/\\evil.example/', {}],
    ['/files//evil.example/', { accept: 'text/html' }],
    ['/api/auth/signin?callbackUrl=https://evil.example/', {}],
  ])('%s', async (path, headers) => {
    const all: Record<string, string> = { ...headers, ...hosts }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    const ask = async (target: string, host: string) => {
      const head = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}`
      const answer = await sendRaw(server.url, `${head}Connection: close\r\n\r\n`)
      return { answer, location: /^location: (.*)$/im.exec(answer!)?.[1]?.trim() }
    }
    const { answer, location } = await ask(path, 'evil.example')
    expect(statuses(answer).length).toBe(1)
    // The host of an absolute target replaces the Host header (RFC 9112, 3.2.2).
    for (const [origin, host] of [
      ['http://evil.example', 'files.example.com'],
      [SITE, 'evil.example'],
    ] as const) {
      const absolute = await ask(`${origin}${path}`, host)
      expect([statuses(absolute.answer), absolute.location]).toEqual([statuses(answer), location])
    }
    if (location) expect(new URL(location, SITE).origin).toBe(SITE)
    // The query contains the page to open after sign-in.
    const callback = location && new URL(location, SITE).searchParams.get('callbackUrl')
    if (callback) expect(new URL(callback, SITE).origin).toBe(SITE)
    for (const [, url] of answer!.matchAll(/(?:href|action)="([^"]*)"/g))
      expect(new URL(url!, SITE).host).not.toBe('evil.example')
  })

  test('a browser without a session returns to the file, at the configured URL', async () => {
    const response = await get('/files/abc?download', { accept: 'text/html', ...hosts })
    expect(response.status).toBe(302)
    const location = new URL(response.headers.get('location')!)
    expect(location.origin + location.pathname).toBe(`${SITE}/signin`)
    expect(location.searchParams.get('callbackUrl')).toMatch(
      /^https:\/\/files\.example\.com\/files\/abc\?download=?$/,
    )
  })

  test('next-auth’s URLs are the configured ones', async () => {
    const text = await (await get('/api/auth/providers', hosts)).text()
    expect(text).toContain(`${SITE}/api/auth/callback/github`)
    expect(text).not.toContain('evil.example')
  })
})

describe('the address for which a failure counts', () => {
  const attempt = (forwarded: string) =>
    server.post('/api/push/token', 'wrong', {}, { 'x-forwarded-for': forwarded }).then((a) => a.status)

  test('behind one proxy, it is the rightmost one; the client can forge those to its left', async () => {
    const seen: number[] = []
    for (let i = 0; i < 22; i++) seen.push(await attempt(`10.9.8.${i}, 203.0.113.7`))
    expect(seen.slice(0, 20)).toEqual(Array(20).fill(401))
    expect(seen.slice(20)).toEqual([429, 429])
    expect(await attempt('203.0.113.8')).toBe(401)
    expect(await attempt('203.0.113.7:51234')).toBe(429)
  })

  test('clients cannot use our own header for it', async () => {
    const seen: number[] = []
    for (let i = 0; i < 22; i++) {
      const headers = { 'x-forwarded-for': '203.0.113.9', 'x-pigeonhole-address': `10.1.1.${i}` }
      seen.push((await server.post('/api/push/token', 'wrong', {}, headers)).status)
    }
    expect(seen.at(-1)).toBe(429)
  })

  test('an invalid or very long value causes no error', async () => {
    for (const forwarded of ['garbage', 'x'.repeat(4000), "'; DROP TABLE users", '[::1', '::ffff:1.2.3.4'])
      expect(await attempt(forwarded)).toBe(401)
  })

  test('sign-ins use the same address', async () => {
    const codes: number[] = []
    for (let i = 0; i < 11; i++) {
      const response = await fetch(`${server.url}/api/trpc/session.create`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.0.${i}.1, 203.0.113.77` },
        body: JSON.stringify({ email: `${randomUUID()}@example.com`, password: 'wrong' }),
      })
      codes.push(response.status)
    }
    expect(codes).toEqual([...Array(10).fill(401), 429])
  })
})

test('without TRUST_PROXY, an address is limited regardless of forged headers', async () => {
  const direct = await sharedServer()
  const seen: number[] = []
  for (let i = 0; i < 22; i++)
    seen.push(
      (await direct.post('/api/push/token', 'w', {}, { 'x-forwarded-for': `198.51.100.${i}` })).status,
    )
  expect(seen.at(-1)).toBe(429)
  expect((await direct.post('/api/push/token', ADMIN_SECRET, {})).status).toBe(429)
})
