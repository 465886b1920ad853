// `npm start` calls the exports of route.ts files. `next dev` and deployments on Next alone call the same functions
// through Next. Both must give the same responses.

import { readdir } from 'node:fs/promises'
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { loadApiRoutes } from '../../../src/cli/serve/api-routes.ts'
import { originForm } from '../../../src/cli/serve/request-target.ts'
import { Browser } from '../../support/browser/cookie-browser.ts'
import { ADMIN_SECRET } from '../../support/process/built-server.ts'
import { type NextServer, startNextServer } from '../../support/process/next-server.ts'
import { type SharedServer, sharedServer } from '../../support/process/shared-server.ts'
import { sendRaw, statuses } from '../../support/raw-http.ts'
import { testPool } from '../../support/test-pool.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

const PASSWORD = 'correct horse battery'
const COOKIE = 'next-auth.session-token'
const ID = '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f'

let direct: SharedServer
let next: NextServer
let user: TestUser
beforeAll(async () => {
  direct = await sharedServer()
  next = await startNextServer(direct.env)
  user = await direct.user({ password: PASSWORD })
})
// An address can send 20 wrong admin secrets per minute.
const forgetFailures = () => testPool(direct.databaseUrl).query('DELETE FROM rate_limits')
afterAll(async () => {
  agent.destroy()
  await next?.close()
  await forgetFailures()
})
beforeEach(forgetFailures)

type Headers = Record<string, string>
type Answer = { status: number; headers: Record<string, string[]>; body: string }

/** Agent for requests without a body. */
const agent = new Agent({ keepAlive: true })

function ask(url: string, method: string, path: string, headers: Headers, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url + path,
      // Requests with a body use a separate connection: Next leaves one hanging if it read only the start of the body.
      { method, agent: body === undefined ? agent : false, headers },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            headers: response.headersDistinct as Record<string, string[]>,
            body: Buffer.concat(chunks).toString(),
          }),
        )
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

/** Headers of the connection, which can differ: Next sends everything in chunks. */
const FRAMING = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length']
const NEXT_VARY = /(?:,? *\b(?:rsc|next-[\w-]+))+/g

/** Policy of the page for an inactive link. Next alone drops the route's own policy, and so style and picture. */
const OWN_STYLE = / img-src 'self'; style-src 'sha256-[^']+';/

/** Returns a response without what differs between calls and without the faults of Next that decision 041 lists. */
function comparable({ status, headers, body }: Answer) {
  const kept = Object.entries(headers)
    .filter(([name]) => !FRAMING.includes(name))
    // Next drops a route's own header if the server has set one.
    .filter(([name]) => name !== 'referrer-policy')
    .map(([name, values]): [string, string[]] => [name, values.map((v) => v.replace(OWN_STYLE, ''))])
    // Next adds the headers of its pages to `Vary`, even for data.
    .map(([name, values]): [string, string[]] => [
      name,
      values.map((v) => (name === 'vary' ? v.replace(NEXT_VARY, '') : steady(v))).filter(Boolean),
    ])
    .filter(([, values]) => values.length > 0)
  const isMetrics = body.includes('# TYPE process_')
  const isPage = body.startsWith('<!DOCTYPE html>') && body.includes('/_next/')
  return {
    status,
    headers: Object.fromEntries(kept),
    body: isPage
      ? /<title>.*<\/title>/.exec(body)![0]
      : isMetrics
        ? [...body.matchAll(/^# TYPE (\S+)/gm)]
            .map((m) => m[1])
            .sort()
            .join()
        : steady(body),
  }
}

/** Replaces IDs, times, nonces, tokens and signatures, which are new in every response. */
function steady(text: string): string {
  return (
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|\w{3}, \d\d \w{3} \d{4} [\d:]+ GMT|\d{8}T\d{6}Z/g, 'TIME')
      .replace(/'nonce-[^']+'|nonce="[^"]+"/g, 'NONCE')
      .replace(/(X-Amz-Signature=)\w+/g, '$1SIGNATURE')
      .replace(/(session-token=)[^;]+/g, '$1TOKEN')
      .replace(/-[0-9a-f]{32}\b/g, '-RANDOM')
      // Next adds an equals sign to a parameter without a value.
      .replace(/(download)%3D$/, '$1')
      .replace(/[0-9a-f]{64}(?:(?:%7C|\|)[0-9a-f]{64})?/g, 'HASH')
      .replaceAll(new URL(direct.url).host, 'HOST')
      .replaceAll(new URL(next.url).host, 'HOST')
  )
}

const PATHS = [
  '/api/health/live',
  '/api/health/ready',
  '/api/metrics',
  '/api/openapi.json',
  '/api/trpc/account.usage',
  '/api/trpc/account.usage,files.list?batch=1&input=%7B%7D',
  '/api/trpc/upload.requestUploadUrl',
  '/api/trpc/upload.nothing',
  '/api/trpc/session.create?batch=1',
  '/api/push',
  '/api/push/send',
  '/api/push/token',
  `/api/push/token?userId=${ID}`,
  `/api/push/token/${ID}`,
  `/api/push/messages/${ID}`,
  '/api/push/messages/%C3%A4%20b',
  '/api/push/messages',
  `/api/push/messages/${ID}/failures`,
  `/api/push/topics/a~b/users/${ID}`,
  '/api/push/nothing/at/all',
  '/api/admin',
  '/api/admin/nothing/at/all',
  // Query an unknown user, because every call adds an entry, which the other server's response might contain.
  `/api/admin/audit?userId=${ID}`,
  '/api/admin/broadcasts',
  `/api/admin/broadcasts/${ID}`,
  // Without the query, the call takes seconds.
  '/api/admin/doctor?no=such',
  '/api/admin/files',
  `/api/admin/files/${ID}`,
  `/api/admin/files/${ID}/url`,
  `/api/admin/files/${ID}/verdict`,
  '/api/admin/health',
  `/api/admin/audit/export?userId=${ID}`,
  `/api/admin/broadcasts/${ID}/failures`,
  `/api/admin/users/${ID}/password-reset`,
  `/api/admin/users/${ID}/devices`,
  `/api/admin/users/${ID}/sign-out`,
  `/api/admin/webhooks/${ID}/test`,
  '/api/admin/push-tokens',
  `/api/admin/push-tokens/${ID}`,
  `/api/admin/push-tokens/${ID}/send`,
  '/api/admin/server-keys',
  `/api/admin/server-keys/${ID}`,
  '/api/admin/user-tokens',
  '/api/admin/users',
  `/api/admin/users/${ID}`,
  '/api/admin/webhooks',
  `/api/admin/webhooks/${ID}`,
  `/api/admin/webhooks/${ID}/deliveries`,
  `/api/admin/webhooks/${ID}/deliveries/${ID}/redeliver`,
  '/api/auth/session',
  '/api/auth/csrf',
  '/api/auth/providers',
  '/api/auth/signin/github',
  '/api/auth/callback/credentials',
  '/api/auth/signout',
  '/api/auth/_log',
  `/files/${ID}`,
  `/files/${ID}?download`,
  '/files/%E0%A4%A',
  `/files/${ID}/thumbnail`,
  `/s/${'a'.repeat(43)}`,
  `/s/${'a'.repeat(43)}/download`,
  '/.well-known/security.txt',
  '/signin',
  '/signin?callbackUrl=/settings&error=CredentialsSignin',
  '/signup',
  '/no/such/page',
]
/** Paths that are not routes: Next redirects them or has no page for them. */
const PAGES = ['/api/push/send/', '/API/health/live', '/api/trpc', '/files']
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const CALLERS: Record<string, () => Headers> = {
  nobody: () => ({}),
  'a session': () => user.headers,
  'the admin': () => ({ authorization: `Bearer ${ADMIN_SECRET}` }),
  'a browser': () => ({
    cookie: `${COOKIE}=${user.token}`,
    accept: 'text/html',
    origin: direct.env.NEXTAUTH_URL!,
  }),
  'a foreign page': () => ({ cookie: `${COOKIE}=${user.token}`, origin: 'http://evil.example' }),
  'a browser without a session': () => ({ accept: 'text/html,*/*' }),
}

test('every route of the app is included', async () => {
  const app = join(ROOT, 'src/app')
  const find = await loadApiRoutes(app)
  const routes = (await readdir(app, { recursive: true })).filter((file) => file.endsWith('/route.ts'))
  const compared = new Set(PATHS.map((path) => find(originForm(path)!.split('?')[0]!)?.pattern))
  expect(routes.map((file) => `/${dirname(file)}`).filter((pattern) => !compared.has(pattern))).toEqual([])
})

/**
 * Returns the callers besides `nobody`: all of them if the route has the method. Rejections and OPTIONS depend only on
 * the method (`allowOnly`, `notFound`), apart from preflights, and Next serves PAGES on both servers. For those, one
 * caller per method takes its turn, so that each caller requests every path.
 */
function othersFor(path: string, method: string, forNobody: Answer): string[] {
  const others = Object.keys(CALLERS).slice(1)
  const isRejected =
    forNobody.status === 405 ||
    (method === 'OPTIONS' && !path.startsWith('/api/trpc/')) ||
    forNobody.body.includes('There is no such endpoint.')
  if (!isRejected && !PAGES.includes(path)) return others
  const turn = [...PATHS, ...PAGES].indexOf(path) + METHODS.indexOf(method)
  return [others[turn % others.length]!]
}

describe('status, headers and body are the same', () => {
  test.each([...PATHS, ...PAGES])(
    '%s, every method and caller',
    async (path) => {
      for (const method of METHODS) {
        const body = ['POST', 'PUT', 'PATCH'].includes(method) ? '{"a":1}' : undefined
        const compare = async (caller: string) => {
          const headers = { ...CALLERS[caller]!(), ...(body && { 'content-type': 'application/json' }) }
          const [ours, theirs] = await Promise.all([
            ask(direct.url, method, path, headers, body),
            ask(next.url, method, path, headers, body),
          ])
          expect(comparable(ours), `${method} ${path} by ${caller}`).toEqual(comparable(theirs))
          expect(ours.status).not.toBe(429)
          return ours
        }
        for (const caller of othersFor(path, method, await compare('nobody'))) await compare(caller)
      }
    },
    60_000,
  )

  test.each(['/api/health/live', '/api/trpc/account.usage', '/api/auth/session', `/files/${ID}`])(
    '%s: headers by which Next recognizes its own pages have no effect',
    async (path) => {
      const plain = comparable(await ask(next.url, 'GET', path, user.headers))
      for (const more of [{ rsc: '1' }, { 'next-router-prefetch': '1' }, { 'x-middleware-subrequest': 'a' }])
        expect(
          comparable(await ask(direct.url, 'GET', path, { ...user.headers, ...more } as unknown as Headers)),
        ).toEqual(plain)
    },
  )

  test.each<[string, Headers, string]>([
    ['valid', {}, '{"filename":"a.png","mimeType":"image/png","size":1}'],
    ['malformed', {}, '{"filename":'],
    ['empty', {}, ''],
    ['with a byte order mark', {}, '\ufeff{"filename":"a.png","mimeType":"image/png","size":1}'],
    ['of another type', { 'content-type': 'text/plain' }, 'hello'],
    ['in chunks', { 'transfer-encoding': 'chunked' }, '{"filename":"a.png","mimeType":"image/png","size":1}'],
    ['too large, with its length', {}, JSON.stringify({ filename: 'x'.repeat(300_000) })],
    [
      'too large, in chunks',
      { 'transfer-encoding': 'chunked' },
      JSON.stringify({ filename: 'x'.repeat(300_000) }),
    ],
  ])('a body that is %s', async (_, more, body) => {
    for (const path of ['/api/trpc/upload.requestUploadUrl', '/api/push/token', '/api/auth/signout']) {
      const authorization = path.includes('push') ? `Bearer ${ADMIN_SECRET}` : user.headers.authorization
      const headers = { authorization, 'content-type': 'application/json', ...more }
      const answers = await Promise.all(
        [direct.url, next.url].map((u) => ask(u, 'POST', path, headers, body)),
      )
      expect(comparable(answers[0]!)).toEqual(comparable(answers[1]!))
    }
  })

  test('a batch whose results are streamed as its calls end', async () => {
    const path = '/api/trpc/account.usage,files.list?batch=1&input=%7B%220%22%3A%7B%7D%2C%221%22%3A%7B%7D%7D'
    const headers = { ...user.headers, 'trpc-accept': 'application/jsonl' }
    const [ours, theirs] = await Promise.all(
      [direct.url, next.url].map((url) => ask(url, 'GET', path, headers)),
    )
    expect(ours!.body.split('\n').length).toBeGreaterThan(3)
    // The calls can end in any order.
    const lines = (answer: Answer) => ({
      ...comparable(answer),
      body: [...comparable(answer).body].sort().join(''),
    })
    expect(lines(ours!)).toEqual(lines(theirs!))
  })

  test('signing in and out with next-auth: cookies and redirects', async () => {
    const responses = await Promise.all(
      [direct.url, next.url].map(async (url) => {
        const browser = new Browser()
        const of = async (response: Response) =>
          comparable({
            status: response.status,
            headers: {
              ...Object.fromEntries([...response.headers].map(([name, value]) => [name, [value]])),
              'set-cookie': response.headers.getSetCookie(),
            },
            body: await response.text(),
          })
        const sign = (password: string, more: object) =>
          browser.postAuth(url, 'callback/credentials', { email: user.email, password, ...more })
        const origin = { callbackUrl: '/files' }
        return [
          await of(await sign('wrong', origin)),
          await of(await sign('wrong', { ...origin, json: 'false' })),
          await of(await sign(PASSWORD, origin)),
          await of(await browser.fetch(`${url}/api/auth/session`)),
          await of(await browser.fetch(`${url}/api/auth/signin?callbackUrl=http://evil.example`)),
          await of(await browser.postAuth(url, 'signout', { json: 'false' })),
        ]
      }),
    )
    expect(responses[0]).toEqual(responses[1])
    expect(responses[0]![2]!.headers['set-cookie']).toEqual([
      expect.stringMatching(/^next-auth.session-token=/),
      expect.stringMatching(/^pigeonhole.browser=/),
    ])
  })
})

test('a route’s own header replaces the server’s', async () => {
  const { headers } = await ask(direct.url, 'GET', `/files/${ID}`, { accept: 'text/html' })
  expect([headers['referrer-policy'], headers['x-content-type-options']]).toEqual([
    ['no-referrer'],
    ['nosniff'],
  ])
})

describe('connections', () => {
  const both = () => [direct, next]

  test('a client that disconnects while sending its body: 499, and no error in the log', async () => {
    for (const server of both()) {
      const from = server.log.length
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      socket.write(
        `POST /api/push/token HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_SECRET}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"userId":`,
      )
      setTimeout(() => socket.destroy(), 200)
      await until('it is logged', () => server.log.slice(from).some((line) => line.includes('"status":499')))
      expect(server.log.slice(from).filter((line) => /"level":[56]0/.test(line))).toEqual([])
    }
  })

  test('an unread body does not delay the next request on the connection', async () => {
    const unread = `DELETE /api/push/send HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`
    const last = 'GET /api/health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    for (const server of both())
      expect(statuses(await sendRaw(server.url, unread + last))).toEqual([405, 200])
  })

  test('a partly read body does not delay the next request either', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const tooLarge = `POST /api/push/token HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_SECRET}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(16)}0\r\n\r\n`
    const last = 'GET /api/health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    expect(statuses(await sendRaw(direct.url, tooLarge + last))).toEqual([413, 200])
  })

  test('Expect: 100-continue gets a response before the body', async () => {
    const request =
      'POST /api/push/token HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}'
    for (const server of both()) expect(statuses(await sendRaw(server.url, request))).toEqual([100, 401])
  })
})
