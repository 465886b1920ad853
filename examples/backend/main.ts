// An app's backend: lets its user upload avatars, scans each one, and shows it once it is accepted.

import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { createServerClient, verifyWebhook } from '@pigeonhole/client/server'
import { scan } from './clamd.ts'

const { PORT = '5176', PIGEONHOLE_URL = 'http://localhost:3000', CLAMD = '127.0.0.1:3310' } = process.env
const { PIGEONHOLE_KEY, WEBHOOK_SECRET } = process.env
if (!PIGEONHOLE_KEY || !WEBHOOK_SECRET) throw new Error('PIGEONHOLE_KEY or WEBHOOK_SECRET is missing')

const pigeonhole = createServerClient({ baseUrl: PIGEONHOLE_URL, key: PIGEONHOLE_KEY })
const page = readFileSync(new URL('index.html', import.meta.url))
/** The signed-in user of your app. */
const userOf = (_request: IncomingMessage) => 'ada'

async function check(fileId: string): Promise<void> {
  const { url } = await pigeonhole.files.url(fileId)
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${fileId}: HTTP ${response.status}`)
  const virus = await scan(response.body!, CLAMD)
  const reason = `The file contains ${virus}.`
  await pigeonhole.files.verdict(fileId, virus ? { verdict: 'reject', reason } : { verdict: 'accept' })
}

/** Checks all held files, also those whose event this process has missed. A failed check is repeated in a minute. */
async function checkHeld(): Promise<void> {
  const { items } = await pigeonhole.files.list({ state: 'HELD', limit: 100 })
  for (const { id } of items) await check(id).catch(console.error)
}

let checks = Promise.resolve()
const queueCheck = () => {
  checks = checks.then(checkHeld).catch(console.error)
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  switch (`${request.method} ${request.url?.split('?')[0]}`) {
    case 'GET /':
      response.setHeader('content-type', 'text/html; charset=utf-8').end(page)
      return
    case 'POST /upload-token': {
      const upload = { policy: 'avatar' }
      const { token } = await pigeonhole.userTokens.create({ externalId: userOf(request), upload })
      response.end(JSON.stringify({ url: PIGEONHOLE_URL, token }))
      return
    }
    case 'GET /avatar': {
      const user = { externalId: userOf(request), state: 'READY' } as const
      const [avatar] = (await pigeonhole.files.list({ ...user, limit: 1 })).items
      const location = avatar && (await pigeonhole.files.url(avatar.id)).url
      response.writeHead(location ? 302 : 404, { ...(location && { location }) }).end()
      return
    }
    case 'POST /webhooks': {
      const headers = new Headers(request.headers as Record<string, string>)
      const event = await verifyWebhook({ headers, text: () => text(request) }, WEBHOOK_SECRET!).catch(
        () => null,
      )
      // A scan can take longer than a webhook waits, so only queue it.
      if (event?.type === 'file.held') queueCheck()
      response.writeHead(event ? 204 : 400).end()
      return
    }
    default:
      response.writeHead(404).end()
  }
}

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error)
    response.writeHead(500).end()
  })
}).listen(Number(PORT), '127.0.0.1', () => console.log(`The backend listens on http://127.0.0.1:${PORT}`))
queueCheck()
setInterval(queueCheck, 60_000)
