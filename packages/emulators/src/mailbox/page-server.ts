import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { namesThisMachine } from '../own-host.ts'
import { assetSender } from '../page/assets.ts'
import type { Mailbox } from './emulator.ts'
import type { ReceivedEmail } from './received-email.ts'

export type MailboxPage = { url: string; close(): Promise<void> }

const sendAsset = assetSender(
  new URL('page/', import.meta.url),
  ['mailbox.css', 'mailbox.js'],
  "'self' data:",
)

/** Emails in the page can only be shown and open links in a new tab. They can run no script and load nothing. */
const HTML_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-popups allow-popups-to-escape-sandbox"

/** Starts a web page that shows all emails, newest first, as they arrive. `port` 0 selects a free one. */
export async function startMailboxPage(mailbox: Mailbox, port: number): Promise<MailboxPage> {
  const watching = new Set<ServerResponse>()
  const notify = (): void => {
    for (const response of watching) send(response)
  }
  const send = (response: ServerResponse) =>
    response.write(`data: ${JSON.stringify(mailbox.emails.toReversed().map(summaryOf))}\n\n`)
  const end = mailbox.onEmail(notify)

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?')[0]!
    if (!namesThisMachine(request)) {
      response.writeHead(403).end()
      return
    }
    if (request.method === 'GET' && path === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      watching.add(response)
      response.on('close', () => watching.delete(response))
      send(response)
      return
    }
    if (request.method === 'GET' && path.startsWith('/emails/')) return sendEmail(path, response)
    if (request.method === 'GET') return sendAsset(path, response)
    // Another site's page must not empty the mailbox.
    const foreign = request.headers.origin !== `http://${request.headers.host}`
    const cleared = request.method === 'POST' && path === '/clear' && !foreign
    if (cleared) {
      mailbox.clear()
      notify()
    }
    response.writeHead(cleared ? 204 : 404).end()
  }

  /** Sends an email as its reader sees it (`/emails/7`), or as received (`/emails/7/raw`). */
  function sendEmail(path: string, response: ServerResponse): void {
    const [, , id, form] = path.split('/')
    const mail = mailbox.emails.find((one) => one.id === Number(id))
    if (!mail || (form !== undefined && form !== 'raw')) {
      response.writeHead(404).end()
      return
    }
    const asText = form === 'raw' || mail.html === ''
    response.writeHead(200, {
      'content-type': `${asText ? 'text/plain' : 'text/html'}; charset=utf-8`,
      'cache-control': 'no-store',
      'content-security-policy': HTML_POLICY,
      'x-content-type-options': 'nosniff',
    })
    // Open links outside the frame, in a new tab.
    const html = mail.html.replace('<head>', '<head><base target="_blank">')
    response.end(form === 'raw' ? mail.raw : html || mail.text)
  }

  const server = createServer((request, response) => void handle(request, response))
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      end()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Returns what the list shows. The body has its own frame. */
function summaryOf({ id, from, to, subject, text, at }: ReceivedEmail) {
  return { id, from, to, subject, text, at }
}
