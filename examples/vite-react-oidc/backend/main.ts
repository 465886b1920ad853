// The page's own backend. Pigeonhole reports ready files to it by webhook, and the page calls it with the user's JWT.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { Webhook } from 'standardwebhooks'

const { PORT = '5174', WEBHOOK_SECRET, OIDC_ISSUER = 'http://127.0.0.1:4000' } = process.env
const { OIDC_AUDIENCE = 'pigeonhole' } = process.env
if (!WEBHOOK_SECRET) throw new Error('WEBHOOK_SECRET is missing: POST /api/admin/webhooks returns it')

type FileEvent = {
  type: 'file.ready' | 'file.deleted'
  data: { fileId: string; filename: string /** `sub` of the user. */; externalId: string | null }
}

const webhook = new Webhook(WEBHOOK_SECRET)
const keys = createRemoteJWKSet(new URL(`${OIDC_ISSUER}/jwks`))
// A real backend keeps both in its database, in one transaction.
const handled = new Set<string>()
const files = new Map<string, FileEvent['data']>()

/** Receives an event. Events arrive at least once, and only the signature proves that Pigeonhole sent them. */
async function receive(request: IncomingMessage): Promise<number> {
  const body = await textOf(request)
  let event: FileEvent
  try {
    event = webhook.verify(body, request.headers as Record<string, string>) as FileEvent
  } catch {
    return 400
  }
  const id = String(request.headers['webhook-id'])
  if (!handled.has(id)) {
    if (event.type === 'file.ready') files.set(event.data.fileId, event.data)
    else files.delete(event.data.fileId)
    handled.add(id)
  }
  return 204
}

/** Returns the files of the JWT's user, or null if the JWT is invalid. */
async function filesOf(authorization: string | undefined): Promise<FileEvent['data'][] | null> {
  const token = authorization?.replace(/^Bearer /, '') ?? ''
  const verified = await jwtVerify(token, keys, { issuer: OIDC_ISSUER, audience: OIDC_AUDIENCE }).catch(
    () => null,
  )
  return verified && [...files.values()].filter(({ externalId }) => externalId === verified.payload.sub)
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = `${request.method} ${request.url}`
  if (route === 'POST /webhooks') {
    response.writeHead(await receive(request)).end()
  } else if (route === 'GET /backend/files') {
    const own = await filesOf(request.headers.authorization)
    response.writeHead(own ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(own ?? []))
  } else response.writeHead(404).end()
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

createServer((request, response) => void answer(request, response)).listen(Number(PORT), '127.0.0.1', () =>
  console.log(`The backend listens on http://127.0.0.1:${PORT}`),
)
