import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Mailbox, startMailbox, startMailboxPage } from '../src/mailbox/index.ts'
import { ensureTls } from '../src/tls.ts'

let mailbox: Mailbox
beforeAll(async () => {
  mailbox = await startMailbox()
})
afterAll(() => mailbox.close())
beforeEach(() => {
  mailbox.clear()
  mailbox.faults.reset()
})

const MAIL = { from: 'Pigeonhole <app@example.com>', to: 'ada@example.com', subject: 'Grüße', text: 'Hello' }

function send(more: SendMailOptions = {}, to = mailbox, options: object = {}) {
  const { hostname, port } = new URL(to.url)
  const transport = createTransport({ host: hostname, port: Number(port), ...options })
  return transport.sendMail({ ...MAIL, ...more })
}

/** Returns the server's response to an email sent manually, which no library would send. */
async function sendRaw(data: string): Promise<string> {
  const socket = connect(mailbox.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let response = ''
  const lines = [
    'EHLO test',
    'MAIL FROM:<app@example.com>',
    'RCPT TO:<ada@example.com>',
    'DATA',
    `${data}\r\n.`,
  ]
  for (const line of lines) {
    response = String((await once(socket, 'data'))[0])
    socket.write(`${line}\r\n`)
  }
  return String((await once(socket, 'data'))[0]) || response
}

const HEAD = [
  'From: app@example.com',
  'To: ada@example.com',
  'Subject: hello',
  'Date: Sun, 22 Nov 2026 12:00:00 +0000',
  'Message-ID: <1@example.com>',
]
const rawMail = (head: string[], body = 'Hello') => [...head, '', body].join('\r\n')

test('an email arrives as its recipient sees it', async () => {
  await send({ html: '<p>Hello</p>', headers: { 'Auto-Submitted': 'auto-generated' } })
  expect(mailbox.emails).toHaveLength(1)
  expect(mailbox.emails[0]).toMatchObject({
    from: 'app@example.com',
    to: ['ada@example.com'],
    subject: 'Grüße',
    text: 'Hello\n',
    html: '<p>Hello</p>\n',
    headers: { 'auto-submitted': 'auto-generated', from: 'Pigeonhole <app@example.com>' },
  })
})

test('waitFor finds existing emails, waits for others, and reports what arrived instead', async () => {
  const later = mailbox.waitFor(({ subject }) => subject === 'second')
  await send()
  expect((await mailbox.waitFor(({ to }) => to.includes('ada@example.com'))).subject).toBe('Grüße')
  await send({ subject: 'second' })
  expect((await later).subject).toBe('second')
  await expect(mailbox.waitFor(() => false, 1)).rejects.toThrow('Grüße,second')
})

test.each([
  ['without a Date', rawMail(HEAD.filter((line) => !line.startsWith('Date'))), 'date is missing'],
  ['with two subjects', rawMail([...HEAD, 'Subject: another']), 'subject is repeated'],
  ['without content', rawMail(HEAD, ''), 'empty'],
  ['from another sender', rawMail(HEAD.with(0, 'From: eve@example.com')), 'From is eve@example.com'],
  ['to another recipient', rawMail(HEAD.with(1, 'To: ada@example.com, eve@example.com')), 'To is ada'],
  ['with a line of 999 bytes', rawMail(HEAD, 'x'.repeat(999)), '999 bytes'],
  ['with a single line feed', rawMail(HEAD, 'a\nb'), 'single CR or LF'],
])('an email %s is rejected', async (_what, raw, reason) => {
  expect(await sendRaw(raw)).toMatch(/^554/)
  expect(mailbox.malformed.at(-1)).toContain(reason)
  expect(mailbox.emails).toEqual([])
})

test('the same email, well formed, is accepted', async () => {
  expect(await sendRaw(rawMail(HEAD))).toMatch(/^250/)
})

test.each(['connect', 'mail', 'rcpt', 'data'] as const)('faults reject, drop and hang at %s', async (at) => {
  mailbox.faults.add({ at, do: { reject: 451, message: 'Later' }, times: 1 })
  await expect(send()).rejects.toMatchObject({ responseCode: 451 })
  mailbox.faults.add({ at, do: 'drop', times: 1 })
  await expect(send()).rejects.toThrow()
  mailbox.faults.add({ at, do: 'hang', times: 1 })
  const aborter = new AbortController()
  const hangs = send({ signal: aborter.signal })
  hangs.catch(() => {})
  await expect.poll(() => mailbox.faults.hanging).toBe(1)
  aborter.abort()
  await expect(hangs).rejects.toThrow()
  await send()
  expect(mailbox.emails).toHaveLength(1)
})

test('a fault can reject a single recipient', async () => {
  mailbox.faults.add({ at: 'rcpt', recipient: 'gone@example.com', do: { reject: 550 } })
  await expect(send({ to: 'gone@example.com' })).rejects.toMatchObject({ responseCode: 550 })
  await send()
})

test('with users and a certificate, no one sends without signing in over TLS', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'pigeonhole-mailbox-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const tls = await ensureTls(dir)
  const closed = await startMailbox({ tls, users: { app: 'secret' } })
  onTestFinished(() => closed.close())
  const ca = { tls: { ca: readFileSync(tls.caFile) } }
  await expect(send({}, closed, ca)).rejects.toMatchObject({ responseCode: 530 })
  const auth = { user: 'app', pass: 'secret' }
  await expect(send({}, closed, { ...ca, auth: { ...auth, pass: 'wrong' } })).rejects.toMatchObject({
    code: 'EAUTH',
  })
  // Reject even the correct password if it is not encrypted.
  await expect(send({}, closed, { ignoreTLS: true, auth })).rejects.toMatchObject({ responseCode: 538 })
  await send({}, closed, { ...ca, auth })
  expect(closed.emails).toHaveLength(1)
})

test('the page lists the emails, shows one without running scripts, and only its own page empties it', async () => {
  const page = await startMailboxPage(mailbox, 0)
  onTestFinished(() => page.close())
  await send({ html: '<html><head></head><body><script>alert(1)</script>Hello</body></html>' })
  expect(await (await fetch(page.url)).text()).toContain('<h1>Mailbox</h1>')
  const { id } = mailbox.emails[0]!
  const mail = await fetch(`${page.url}/emails/${id}`)
  expect(mail.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(await mail.text()).toContain('Hello')
  expect(await (await fetch(`${page.url}/emails/${id}/raw`)).text()).toContain('Message-ID:')
  expect((await fetch(`${page.url}/emails/999`)).status).toBe(404)

  const clear = (origin: string) => fetch(`${page.url}/clear`, { method: 'POST', headers: { origin } })
  expect((await clear('http://evil.example')).status).toBe(404)
  expect(mailbox.emails).toHaveLength(1)
  expect((await clear(page.url)).status).toBe(204)
  expect(mailbox.emails).toEqual([])
})
