// The text of emails, their recipients, and how they wait. Sending: tests/integration/account/email-links.test.ts

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { composeMail, TEXTS } from '../../src/server/adapters/smtp/compose.ts'
import { createOutbox } from '../../src/server/adapters/smtp/outbox.ts'
import { MailRejected } from '../../src/server/adapters/smtp/smtp.ts'
import { parseMailFrom, parseSmtpUrl } from '../../src/server/config/mail-server.ts'
import type { Mail } from '../../src/server/domain/accounts/outbox.ts'
import { isLoopback } from '../../src/server/kernel/loopback.ts'
import { LOCALES } from '../../src/ui/i18n/locales.ts'

const MAIL: Mail = {
  purpose: 'verify',
  to: 'ada@example.com',
  language: 'en',
  url: 'https://files.example.com/verify-email#t_o-k',
}
const SITE = 'https://files.example.com'
const NOTICES = ['newSignIn', 'newApiKey', 'newPassword', 'newPasskey'] as const
const PURPOSES = ['verify', 'reset', 'invite', ...NOTICES] as const

describe('an email', () => {
  test.each(LOCALES.flatMap((language) => PURPOSES.map((purpose) => ({ language, purpose }))))(
    'to $purpose in $language has its link as text and as HTML, and only texts of its language',
    ({ language, purpose }) => {
      const { subject, text, html } = composeMail({ ...MAIL, language, purpose }, SITE)
      expect(subject).toBe(TEXTS[language][purpose].subject)
      expect(text).toContain(`\n${MAIL.url}\n`)
      expect(html).toContain(`href="${MAIL.url}"`)
      expect(html).toContain(`<html lang="${language}">`)
      // Email programs that do not draw the button still have the link.
      expect(html).toContain(`${TEXTS[language].fallback}<br>`)
      expect(html).toContain(`>${MAIL.url}</a>`)
      expect(text).toContain(SITE)
      for (const [other, texts] of Object.entries(TEXTS))
        if (other !== language) expect(text).not.toContain(texts[purpose].intro)
    },
  )

  test('in an unsupported language is English', () => {
    const { subject, html } = composeMail({ ...MAIL, language: 'tlh"><script>' }, SITE)
    expect(subject).toBe(TEXTS.en.verify.subject)
    expect(html).toContain('<html lang="en">')
  })

  test.each(NOTICES)('of the kind %s states the time in each language', (purpose) => {
    const at = new Date('2026-11-23T20:15:00.000Z')
    const textIn = (language: string) => composeMail({ ...MAIL, purpose, language, at }, SITE).text
    expect(textIn('en')).toContain('23 November 2026 at 20:15 UTC')
    expect(textIn('de')).toContain('23. November 2026 um 20:15 UTC')
  })

  test('contains no text that a stranger could choose', () => {
    const { subject, text, html } = composeMail({ ...MAIL, to: 'win-1000-euro@example.com' }, SITE)
    expect(subject + text + html).not.toContain('win-1000-euro')
  })

  test('says that the link is valid for an hour, like the link’s lifetime', () => {
    for (const texts of Object.values(TEXTS))
      for (const purpose of ['verify', 'reset'] as const) expect(texts[purpose].outro).toMatch(/hour|Stunde/)
  })
})

describe('SMTP_URL', () => {
  test.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, auth: undefined }],
    ['smtps://mail.example.com/', { host: 'mail.example.com', port: 465, secure: true, auth: undefined }],
    ['smtp://[::1]:25', { host: '::1', port: 25, secure: false, auth: undefined }],
    [
      'smtp://user%40example.com:p%2Fw%25@mail.example.com:2525',
      {
        host: 'mail.example.com',
        port: 2525,
        secure: false,
        auth: { user: 'user@example.com', pass: 'p/w%' },
      },
    ],
  ])('%s is accepted', (url, server) => expect(parseSmtpUrl(url)).toEqual(server))

  test.each([
    'mail.example.com:587',
    'https://mail.example.com',
    'smtp://',
    'smtp://user@mail.example.com',
    'smtp://u:%@mail.example.com',
    'smtp://mail.example.com/path',
    'smtp://mail.example.com?tls=no',
  ])('%s is rejected', (url) => expect(parseSmtpUrl(url)).toBeNull())

  test('loopback hosts are those that never leave this machine', () => {
    expect(['localhost', '127.0.0.1', '127.9.9.9', '::1'].filter((host) => !isLoopback(host))).toEqual([])
    expect(['127.0.0.1.example.com', '10.0.0.1', 'localhost.example.com'].filter(isLoopback)).toEqual([])
  })
})

test.each([
  ['files@example.com', { name: '', address: 'files@example.com' }],
  [' Our Files <files@example.com> ', { name: 'Our Files', address: 'files@example.com' }],
  ['files', null],
  ['a@example.com, b@example.com', null],
  ['Files <files@example.com> <other@example.com>', null],
  ['Files\r\nBcc: eve@example.com <files@example.com>', null],
])('MAIL_FROM %j', (text, from) => expect(parseMailFrom(text)).toEqual(from))

describe('the outbox', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** `answers`: the server's results for the first attempts. After them, it accepts everything. */
  function outbox(...answers: (Error | 'hang')[]) {
    const sent: string[] = []
    const outcomes: string[] = []
    const logged: string[] = []
    const log = (_details: object, message: string) => void logged.push(message)
    const box = createOutbox({
      async send(mail, signal) {
        const answer = answers.shift()
        if (answer === 'hang')
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        if (answer instanceof Error) throw answer
        sent.push(mail.to)
      },
      onResult: (outcome) => void outcomes.push(outcome),
      log: { warn: log, error: log },
    })
    return { ...box, sent, outcomes, logged, mail: async () => MAIL }
  }

  test('starts after the caller has its response, not earlier', async () => {
    const { post, sent } = outbox()
    let prepared = false
    post(async () => {
      prepared = true
      return MAIL
    })
    await vi.advanceTimersByTimeAsync(99)
    expect(prepared).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect([prepared, sent]).toEqual([true, [MAIL.to]])
  })

  test('retries what can succeed later, with the same link and growing delays', async () => {
    const { post, sent, outcomes } = outbox(new Error('away'), new Error('away'), new Error('away'))
    const prepare = vi.fn(async () => MAIL)
    post(prepare)
    await vi.advanceTimersByTimeAsync(2_100)
    expect(outcomes).toEqual(['retry', 'retry'])
    await vi.advanceTimersByTimeAsync(60_000)
    expect([sent, outcomes]).toEqual([[MAIL.to], ['retry', 'retry', 'retry', 'sent']])
    expect(prepare).toHaveBeenCalledTimes(1)
  })

  test('an email that cannot be prepared while the database is unavailable is retried', async () => {
    const { post, sent } = outbox()
    const prepare = vi.fn(async () => MAIL).mockRejectedValueOnce(new Error('no database'))
    post(prepare)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(sent).toEqual([MAIL.to])
  })

  test('a permanent rejection is not retried', async () => {
    const { post, sent, outcomes, logged } = outbox(new MailRejected('550 no such user'))
    post(async () => MAIL)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect([sent, outcomes, logged]).toEqual([[], ['failed'], ['email not sent']])
  })

  test('gives up before the link in the email expires', async () => {
    const { post, outcomes } = outbox(...Array.from({ length: 1000 }, () => new Error('away')))
    post(async () => MAIL)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(outcomes.at(-1)).toBe('failed')
    expect(outcomes.length).toBeLessThan(40)
  })

  test('an email that hangs does not delay others; at most a thousand wait', async () => {
    const { post, sent, mail } = outbox('hang', 'hang', 'hang')
    for (let i = 0; i < 1000; i++) expect(post(mail)).toBe(true)
    expect(post(mail)).toBe(false)
    await vi.advanceTimersByTimeAsync(100)
    expect(sent).toHaveLength(997)
    expect(post(mail)).toBe(true)
  })

  test('an email that is no longer needed is not a failure', async () => {
    const { post, outcomes } = outbox()
    post(async () => null)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(outcomes).toEqual([])
  })

  test('when closed, it sends what it has started or just accepted, and nothing new', async () => {
    const { post, close, sent, mail } = outbox()
    post(mail)
    post(mail)
    const closed = close(3_000)
    expect(post(mail)).toBe(false)
    await closed
    expect(sent).toHaveLength(2)
  })

  test('when closed, it waits for a server that hangs until its limit, then reports what is lost', async () => {
    const { post, close, sent, logged, mail } = outbox('hang', 'hang', 'hang', 'hang')
    for (let i = 0; i < 6; i++) post(mail)
    await vi.advanceTimersByTimeAsync(100)
    let closed = false
    const closing = close(3_000).then(() => (closed = true))
    await vi.advanceTimersByTimeAsync(2_999)
    expect(closed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await closing
    expect([sent.length, logged]).toEqual([0, ['stopped before these emails were sent']])
  })
})
