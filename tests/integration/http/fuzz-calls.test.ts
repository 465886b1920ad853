// Every procedure and every JSON endpoint, with any input and any caller: no 500, no hang, no memory growth. Malicious
// values are in the fields that the schemas name, so they pass the first check.

import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { appRouter } from '../../../src/server/api/trpc/router.ts'
import { anyText } from '../../support/any-text.ts'
import { corruptedTexts, like, malicious } from '../../support/fuzz-input.ts'
import { ADMIN_SECRET, type BuiltServer, startBuiltServer } from '../../support/process/built-server.ts'
import type { TestUser } from '../../support/users.ts'

const RUNS = Number(process.env.FUZZ_RUNS ?? 12)
/** Far longer than any call on a busy machine, including those that hash passwords. */
const HANG_MS = 120_000

/** Procedures that hash passwords, which takes 0.2 s of CPU each. */
const HASHES = /signUp|changePassword|account.delete|session.create/

let server: BuiltServer
let user: TestUser
/** User whose sessions and account can end during the tests. */
let victim: TestUser
let pushToken: string
let fileId: string
let calls = 0
let slowestMs = 0
const seen = new Map<number, number>()

beforeAll(async () => {
  server = await startBuiltServer({
    ALLOW_SIGNUP: 'true',
    PUSH_SEND_RATE_PER_MINUTE: '1000000',
    SIGNIN_FAILURES_PER_15_MIN: '3',
    // The heap is so small that garbage is collected often, and a leak would end the process.
    NODE_OPTIONS: '--max-semi-space-size=2 --max-old-space-size=200',
  })
  user = await server.user()
  victim = await server.user({ password: 'correct horse battery' })
  const { body } = await server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'fuzz' })
  pushToken = body.token
  const created = await server.ok(user, 'upload.initiateMultipart', {
    filename: 'a.png',
    mimeType: 'image/png',
    size: 11_000_000,
    totalParts: 3,
  })
  fileId = created.fileId
})
afterAll(async () => {
  await server?.close()
  const counts = [...seen].sort().map(([status, count]) => `${status}: ${count}`)
  console.log(`${calls} calls, slowest ${Math.round(slowestMs)} ms, by status ${counts.join(', ')}`)
})

async function ask(path: string, init: RequestInit): Promise<void> {
  const startedAt = performance.now()
  const response = await fetch(`${server.url}${path}`, {
    ...init,
    redirect: 'manual',
    signal: AbortSignal.timeout(HANG_MS),
  })
  const text = await response.text()
  calls++
  seen.set(response.status, (seen.get(response.status) ?? 0) + 1)
  slowestMs = Math.max(slowestMs, performance.now() - startedAt)
  expect(response.status, `${init.method} ${path} ${String(init.body).slice(0, 300)}: ${text}`).toBeLessThan(
    500,
  )
  expect(text).not.toMatch(/prisma|node_modules|\.ts:\d|ECONN/i)
  // The start of our statements. Pages show "Select" to users.
  expect(text).not.toMatch(/\bSELECT |\bINSERT INTO /)
}

/** Valid values by field name. */
const VALID: Record<string, () => unknown> = {
  fileId: () => fileId,
  userId: () => user.id,
  email: () => user.email,
  filename: () => 'b.png',
  mimeType: () => 'image/png',
  title: () => 'title',
  body: () => 'body',
  name: () => 'name',
  etag: () => '"d41d8cd98f00b204e9800998ecf8427e"',
}

type Procedure = { _def: { type: 'query' | 'mutation'; inputs: z.ZodType[] } }
const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>)

const schemaOf = ({ _def }: Procedure) =>
  _def.inputs[0] ? z.toJSONSchema(_def.inputs[0], { io: 'input', unrepresentable: 'any' }) : {}

test('procedures are found', () => expect(procedures.length).toBeGreaterThan(20))

test.each(procedures)('%s', async (name, procedure) => {
  const { token } = name.startsWith('account.') && name !== 'account.usage' ? victim : user
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 4, arbitrary: like(schemaOf(procedure), VALID) }, fc.jsonValue()),
      fc.constantFrom('user', 'user', 'user', 'nobody', 'garbage'),
      async (input, who) => {
        const headers = {
          'content-type': 'application/json',
          ...(who !== 'nobody' && { authorization: `Bearer ${who === 'user' ? token : 'ey.x.y'}` }),
        }
        const json = JSON.stringify(input) ?? ''
        if (procedure._def.type === 'query')
          await ask(`/api/trpc/${name}?input=${encodeURIComponent(json.toWellFormed()).slice(0, 8000)}`, {
            method: 'GET',
            headers,
          })
        else await ask(`/api/trpc/${name}`, { method: 'POST', headers, body: json })
      },
    ),
    { numRuns: HASHES.test(name) ? Math.ceil(RUNS / 3) : RUNS },
  )
})

test.each(procedures)('%s with text that PostgreSQL cannot store in one field', async (name, procedure) => {
  // Use a separate user, because some procedures end the session.
  const { headers: bearer } = await server.user()
  for (const unstorable of HASHES.test(name) ? ['\0', '\ud800'] : ['\0', 'a\0b', '\ud800', 'a\udfffb'])
    for (const input of corruptedTexts(schemaOf(procedure), VALID, unstorable)) {
      const headers = { 'content-type': 'application/json', ...bearer }
      const json = JSON.stringify(input)
      if (procedure._def.type === 'query')
        await ask(`/api/trpc/${name}?input=${encodeURIComponent(json)}`, { method: 'GET', headers })
      else await ask(`/api/trpc/${name}`, { method: 'POST', headers, body: json })
    }
})

test('batches and unknown names', async () => {
  const name = fc.oneof(fc.constantFrom(...procedures.map(([n]) => n)), fc.string({ maxLength: 30 }))
  await fc.assert(
    fc.asyncProperty(
      fc.array(name, { minLength: 1, maxLength: 12 }),
      fc.jsonValue(),
      async (names, input) => {
        const headers = { 'content-type': 'application/json', ...user.headers }
        const path = encodeURIComponent(names.join(',').toWellFormed())
        const body = JSON.stringify(input)
        await ask(`/api/trpc/${path}?batch=1`, { method: 'POST', headers, body })
      },
    ),
    { numRuns: RUNS },
  )
})

const documented = async () => (await server.get('/api/openapi.json', null)).body.paths

test('the push endpoints, according to the OpenAPI document', async () => {
  const paths = await documented()
  for (const path of ['/api/push/token', '/api/push/send']) {
    const schema = paths[path].post.requestBody.content['application/json'].schema
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 4, arbitrary: like(schema, VALID) }, fc.jsonValue()),
        fc.option(fc.string({ maxLength: 300 }), { freq: 3 }),
        async (input, key) => {
          const bearer = path.endsWith('token') ? ADMIN_SECRET : pushToken
          await ask(path, {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              authorization: `Bearer ${bearer}`,
              ...(key !== null && /^[\x21-\x7e]*$/.test(key) && { 'idempotency-key': key }),
            },
            body: JSON.stringify(input),
          })
        },
      ),
      { numRuns: RUNS * 4 },
    )
  }
})

test('paths with IDs, sign-in pages and forms', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(
        ['GET', '/files/'],
        ['GET', '/api/push/messages/'],
        ['DELETE', '/api/push/messages/'],
        ['DELETE', '/api/push/token/'],
        ['GET', '/api/push/token?userId='],
        ['GET', '/api/auth/'],
        ['POST', '/api/auth/callback/'],
        ['POST', '/api/auth/'],
        ['GET', '/'],
        ['GET', '/signin?callbackUrl='],
      ),
      fc.oneof(
        anyText({ maxLength: 60 }),
        malicious.map((value) => String(JSON.stringify(value))),
      ),
      async ([method, path], text) => {
        await ask(`${path}${encodeURIComponent(text.toWellFormed()).slice(0, 6000)}`, {
          method,
          headers: { authorization: `Bearer ${path!.includes('push') ? ADMIN_SECRET : user.token}` },
          ...(method === 'POST' && { body: new URLSearchParams({ email: text, password: text }) }),
        })
      },
    ),
    { numRuns: RUNS * 4 },
  )
})

test('bodies that are not JSON', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(
        '/api/push/send',
        '/api/push/token',
        '/api/trpc/devices.register',
        '/api/auth/callback/credentials',
      ),
      fc.uint8Array({ maxLength: 400 }),
      fc.constantFrom(
        'application/json',
        'text/plain',
        'multipart/form-data; boundary=x',
        'application/octet-stream',
      ),
      async (path, bytes, type) => {
        const bearer = path.endsWith('token') ? ADMIN_SECRET : path.endsWith('send') ? pushToken : user.token
        await ask(path, {
          method: 'POST',
          headers: { 'content-type': type, authorization: `Bearer ${bearer}` },
          body: new Uint8Array(bytes),
        })
      },
    ),
    { numRuns: RUNS * 4 },
  )
})

test('memory does not grow when the same calls are repeated', async () => {
  const heap = async () => {
    const { text } = await server.get('/api/metrics', ADMIN_SECRET)
    return Number(/^nodejs_heap_size_used_bytes (\d+)/m.exec(text)![1]) / 2 ** 20
  }
  const round = async () => {
    for (let i = 0; i < 10; i++)
      await Promise.all(
        Array.from({ length: 20 }, () =>
          ask('/api/trpc/upload.requestUploadUrl', {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...user.headers },
            body: '{"filename":"x/y","mimeType":"text/html","size":"many"}',
          }),
        ),
      )
    // Use the lowest of several values, because garbage remains until it is collected.
    const looks: number[] = []
    for (let i = 0; i < 10; i++) looks.push(await heap())
    return Math.min(...looks)
  }
  const levels = [await round(), await round(), await round(), await round()]
  console.log(`heap after each 200 calls: ${levels.map((mib) => mib.toFixed(1)).join(', ')} MiB`)
  expect(Math.min(...levels.slice(2))).toBeLessThan(Math.min(...levels.slice(0, 2)) + 20)
})
