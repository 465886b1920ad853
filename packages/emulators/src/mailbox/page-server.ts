import type { ServerResponse } from 'node:http'
import { assetSender } from '../page/assets.ts'
import { startPage } from '../page/page-server.ts'
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

  const page = await startPage({
    port,
    sendAsset,
    state: () => mailbox.emails.toReversed().map(summaryOf),
    get(path, response) {
      const isEmail = path.startsWith('/emails/')
      if (isEmail) sendEmail(path, response)
      return isEmail
    },
    act(action) {
      if (action !== 'clear') return false
      mailbox.clear()
      return true
    },
  })
  const end = mailbox.onEmail(page.notify)
  return {
    url: page.url,
    async close() {
      end()
      await page.close()
    },
  }
}

/** Returns what the list shows. The body has its own frame. */
function summaryOf({ id, from, to, subject, text, at }: ReceivedEmail) {
  return { id, from, to, subject, text, at }
}
