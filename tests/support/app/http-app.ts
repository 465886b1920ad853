// Signing in without Next: the container on a database of its own, its handlers behind a real HTTP server.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { loadConfig } from '../../../src/server/config.ts'
import { build, type Services } from '../../../src/server/container.ts'
import { handleNextAuth } from '../../../src/server/http/next-auth/handler.ts'
import { handleTrpc } from '../../../src/server/trpc/handler.ts'
import { createTestDatabase } from '../database.ts'

export type Answer = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: what a JSON API answers, read by a test
  data: any
  code?: string
  message?: string
}

export type HttpApp = {
  url: string
  env: Record<string, string>
  services: Services
  db: pg.Pool
  /** A mutation, unless it is among the queries. */
  call(procedure: string, input?: unknown, headers?: Record<string, string>): Promise<Answer>
  close(): Promise<void>
}

const QUERIES = ['account.usage', 'files.list']

/** `env` over the defaults; sign-up is open. Sets process.env.NEXTAUTH_URL, which next-auth reads by itself. */
export async function startHttpApp(env: Record<string, string> = {}): Promise<HttpApp> {
  const database = await createTestDatabase()
  const ready = Promise.withResolvers<Services>()
  const server = serve(ready.promise)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const all = {
    DATABASE_URL: database.url,
    NEXTAUTH_URL: url,
    NEXTAUTH_SECRET: 'a-secret-that-is-long-enough-for-tests',
    PUSH_TOKEN_ADMIN_SECRET: 'an-admin-secret-that-is-long-enough-for-tests',
    S3_BUCKET: 'holes',
    S3_REGION: 'us-east-1',
    S3_ENDPOINT: 'http://127.0.0.1:9',
    ALLOW_SIGNUP: 'true',
    LOG_LEVEL: 'silent',
    ...env,
  }
  process.env.NEXTAUTH_URL = all.NEXTAUTH_URL
  const services = await build(loadConfig(all))
  ready.resolve(services)
  const db = new pg.Pool({ connectionString: database.url, max: 2 })

  return {
    url,
    env: all,
    services,
    db,
    async call(procedure, input, headers = {}) {
      const query = QUERIES.includes(procedure)
      const suffix = query && input !== undefined ? `?input=${encodeURIComponent(JSON.stringify(input))}` : ''
      const response = await fetch(`${url}/api/trpc/${procedure}${suffix}`, {
        method: query ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: query || input === undefined ? undefined : JSON.stringify(input),
      })
      const body = await response.json()
      return {
        status: response.status,
        headers: response.headers,
        data: body.result?.data ?? body.error?.data,
        code: body.error?.data.code,
        message: body.error?.message,
      }
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await services.close()
      await db.end()
      await database.drop()
    },
  }
}

function serve(services: Promise<Services>): Server {
  return createServer(async (incoming, outgoing) => {
    const request = await requestFrom(incoming)
    const handle = request.url.includes('/api/auth/') ? handleNextAuth : handleTrpc
    const response = await handle(request, services)
    for (const [name, value] of response.headers) outgoing.appendHeader(name, value)
    outgoing.writeHead(response.status)
    outgoing.end(Buffer.from(await response.arrayBuffer()))
  })
}

async function requestFrom(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one)
  return new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method,
    headers,
    body: chunks.length > 0 ? Buffer.concat(chunks) : undefined,
  })
}
