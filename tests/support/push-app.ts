// The push half without Next: the container on a database of its own, with the real gateways against local
// APNs (both environments) and FCM.

import { createHash, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { v7 } from 'uuid'
import { loadConfig } from '../../src/server/config.ts'
import { build, type Services } from '../../src/server/container.ts'
import { handleMessage } from '../../src/server/http/push-messages.ts'
import { handleSend } from '../../src/server/http/push-send.ts'
import { handleCreateToken, handleListTokens, handleRevokeToken } from '../../src/server/http/push-tokens.ts'
import { CLIENT_ADDRESS_HEADER } from '../../src/server/http/request-info.ts'
import type { MessageView } from '../../src/server/push/schema.ts'
import { handleTrpc } from '../../src/server/trpc/handler.ts'
import { startApns } from '../../src/standins/apns/server.ts'
import { writeFcmCredentials } from '../../src/standins/fcm/credentials.ts'
import { startFcm } from '../../src/standins/fcm/server.ts'
import { createTestDatabase } from './database.ts'
import { apnsConfig, apnsKey, PROJECT, TOPIC, trustedTls } from './gateways.ts'
import { createUser, type TestUser } from './session.ts'

export const ADMIN = 'an-admin-secret-that-is-long-enough-for-tests'

// biome-ignore lint/suspicious/noExplicitAny: what a JSON API answers, read by a test
export type Answer = { status: number; headers: Headers; data: any }

type Options = {
  env?: Record<string, string>
  /** Without workers: requests only. */
  idle?: boolean
  /** Instead of a clone of the test run's template. */
  databaseUrl?: string
}

// One authority per process: a second one of the same name would stand in the way of the first.
let sharedTls: ReturnType<typeof trustedTls> | undefined
process.on('exit', () => sharedTlsDir && rmSync(sharedTlsDir, { recursive: true, force: true }))
let sharedTlsDir: string | undefined

export type PushApp = Awaited<ReturnType<typeof startPushApp>>

export async function startPushApp(options: Options = {}) {
  const database = options.databaseUrl
    ? { url: options.databaseUrl, drop: async () => {} }
    : await createTestDatabase()
  sharedTls ??= trustedTls()
  const tls = await sharedTls
  sharedTlsDir = tls.dir
  const standin = {
    tls,
    teamId: 'TEAM123456',
    keyId: 'KEY1234567',
    publicKey: apnsKey.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    topics: [TOPIC],
  }
  const apns = await startApns({ ...standin, environment: 'production' })
  const sandbox = await startApns({ ...standin, environment: 'sandbox' })
  const fcm = await startFcm({ projectId: PROJECT, tls })
  const credentials = join(tls.dir, `fcm-${fcm.port}.json`)
  await writeFcmCredentials(credentials, fcm.credentials)
  const apnsEnv = apnsConfig(apns.url)

  const env: Record<string, string> = {
    DATABASE_URL: database.url,
    NEXTAUTH_URL: 'http://127.0.0.1:3000',
    NEXTAUTH_SECRET: 'a-secret-that-is-long-enough-for-tests',
    PUSH_TOKEN_ADMIN_SECRET: ADMIN,
    S3_BUCKET: 'holes',
    S3_REGION: 'us-east-1',
    S3_ENDPOINT: 'http://127.0.0.1:9',
    LOG_LEVEL: 'silent',
    APNS_TEAM_ID: apnsEnv.teamId,
    APNS_KEY_ID: apnsEnv.keyId,
    APNS_PRIVATE_KEY: apnsEnv.privateKey,
    APNS_TOPIC: TOPIC,
    APNS_ENDPOINT: apns.url,
    APNS_SANDBOX_ENDPOINT: sandbox.url,
    FIREBASE_PROJECT_ID: PROJECT,
    GOOGLE_APPLICATION_CREDENTIALS: credentials,
    FCM_ENDPOINT: fcm.url,
    ...options.env,
  }
  const services = await build(loadConfig(env))
  if (!options.idle) await services.start()
  const replicas: Services[] = []
  const db = new pg.Pool({ connectionString: database.url, max: 2 })
  db.on('error', () => {})

  return {
    services,
    env,
    caFile: tls.caFile,
    db,
    apns,
    sandbox,
    fcm,
    ...callers(services),

    /** Another process's worth of services on the same database and gateways. */
    async replica(change: Record<string, string> = {}) {
      const other = await build(loadConfig({ ...env, ...change }))
      replicas.push(other)
      return { services: other, ...callers(other) }
    },

    user: (): Promise<TestUser> => createUser(services),

    async close() {
      for (const each of [services, ...replicas]) await each.close()
      await db.end()
      await Promise.all([apns.close(), sandbox.close(), fcm.close()])
      await database.drop()
    },
  }
}

/** Everything a client can do, against one container. */
export function callers(services: Services) {
  const ready = Promise.resolve(services)
  const url = (path: string) => `http://127.0.0.1:3000${path}`
  const request = (method: string, path: string, bearer?: string, body?: unknown, headers = {}) =>
    new Request(url(path), {
      method,
      headers: {
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        [CLIENT_ADDRESS_HEADER]: '192.0.2.1',
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    })

  const createToken = async (body: unknown, secret: string | undefined = ADMIN, headers = {}) =>
    answerOf(handleCreateToken(request('POST', '/api/push/token', secret, body, headers), ready))
  const send = (token: string | undefined, body: unknown, headers: Record<string, string> = {}) =>
    answerOf(handleSend(request('POST', '/api/push/send', token, body, headers), ready))
  const message = (bearer: string | undefined, id: string, headers = {}) =>
    answerOf(handleMessage(request('GET', `/api/push/messages/${id}`, bearer, undefined, headers), ready, id))

  return {
    createToken,
    send,
    message,
    listTokens: (query: string, secret: string | undefined = ADMIN) =>
      answerOf(handleListTokens(request('GET', `/api/push/token${query}`, secret), ready)),
    revokeToken: (id: string, secret: string | undefined = ADMIN) =>
      answerOf(handleRevokeToken(request('DELETE', `/api/push/token/${id}`, secret), ready, id)),

    /** A raw push token of this user. */
    async tokenOf(userId: string, more: object = {}): Promise<string> {
      const { status, data } = await createToken({ userId, name: 'test', ...more })
      if (status !== 200) throw new Error(`no push token: ${JSON.stringify(data)}`)
      return data.token
    },

    async mutate(user: { headers: Record<string, string> } | null, procedure: string, input: unknown) {
      const headers = { 'content-type': 'application/json', ...user?.headers }
      const init = { method: 'POST', headers, body: JSON.stringify(input) }
      return answerOf(handleTrpc(new Request(url(`/api/trpc/${procedure}`), init), ready))
    },
    async query(user: { headers: Record<string, string> } | null, procedure: string) {
      return answerOf(
        handleTrpc(new Request(url(`/api/trpc/${procedure}`), { headers: user?.headers }), ready),
      )
    },

    /** The message as soon as it is completed. */
    async completed(bearer: string, id: string, timeoutMs = 20_000): Promise<MessageView> {
      const deadline = performance.now() + timeoutMs
      for (;;) {
        const { data } = await message(bearer, id)
        if (data.status === 'completed') return data
        if (performance.now() > deadline)
          throw new Error(`not completed in ${timeoutMs} ms: ${JSON.stringify(data)}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
  }
}

async function answerOf(pending: Promise<Response>): Promise<Answer> {
  const response = await pending
  const text = await response.text()
  const json = text === '' ? null : JSON.parse(text)
  // tRPC wraps a result; its errors are looked at whole.
  return { status: response.status, headers: response.headers, data: json?.result?.data ?? json }
}

export const iosToken = () => randomBytes(32).toString('hex')
export const androidToken = () => randomBytes(40).toString('base64url')

/** Devices straight in the database, `count` for each platform in turn, one user each unless given. */
export async function seedDevices(
  db: pg.Pool,
  count: number,
  options: { userId?: string; platform?: 'ios' | 'android' } = {},
): Promise<{ ids: string[]; tokens: string[]; userIds: string[] }> {
  const ids = Array.from({ length: count }, () => v7())
  const platforms = ids.map((_, i) => options.platform ?? (i % 2 === 0 ? 'ios' : 'android'))
  const tokens = platforms.map((platform) => (platform === 'ios' ? iosToken() : androidToken()))
  const hashes = tokens.map((token) => createHash('sha256').update(token).digest('hex'))
  const userIds = ids.map(() => options.userId ?? v7())
  if (!options.userId)
    await db.query(
      `INSERT INTO users (id, email) SELECT id, id || '@example.com' FROM unnest($1::uuid[]) AS u (id)`,
      [userIds],
    )
  await db.query(
    `INSERT INTO devices (id, user_id, platform, token, token_hash)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::platform[], $4::text[], $5::text[])`,
    [ids, userIds, platforms, tokens, hashes],
  )
  return { ids, tokens, userIds }
}

/** Resolves once `condition` holds. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not so within ${timeoutMs} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
