// The app over HTTP with an email server, and with clients that each have an address.

import { randomUUID } from 'node:crypto'
import { type Mailbox, type ReceivedEmail, startMailbox } from '@pigeonhole/emulators/mailbox'
import { type HttpAnswer, type HttpApp, startHttpApp } from './http-app.ts'

export const PASSWORD = 'correct horse battery'

export type MailApp = HttpApp & {
  mailbox: Mailbox
  /** Signs up. `headers` authenticate the session that this starts. */
  signUp(email?: string, headers?: Record<string, string>): Promise<Member>
  /** Like `call`, from an address that no other client has. */
  from(procedure: string, input?: unknown, headers?: Record<string, string>): Promise<HttpAnswer>
  /** Returns the token of the newest link of this kind that was sent to this email. */
  link(kind: 'verify-email' | 'reset-password', email: string): Promise<string>
}

export type Member = { id: string; email: string; headers: Record<string, string> }

/** Credentials for signing upload URLs; no store responds. */
export const S3_KEYS = { S3_ACCESS_KEY_ID: 'test', S3_SECRET_ACCESS_KEY: 'test' }

export const newEmail = () => `${randomUUID()}@example.com`

export async function startMailApp(env: Record<string, string> = {}): Promise<MailApp> {
  const mailbox = await startMailbox()
  const smtp = { SMTP_URL: mailbox.url, MAIL_FROM: 'Files <files@example.com>' }
  const app = await startHttpApp({ ...smtp, ...S3_KEYS, ...env })
  const from: MailApp['from'] = (procedure, input, headers) =>
    app.call(procedure, input, { 'x-pigeonhole-address': randomUUID(), ...headers })

  return {
    ...app,
    mailbox,
    from,
    async signUp(email = newEmail(), headers = {}) {
      const { data, message } = await from(
        'account.signUp',
        { email, password: PASSWORD, name: 'Squatter' },
        headers,
      )
      if (!data.token) throw new Error(message)
      return { id: data.user.id, email, headers: { authorization: `Bearer ${data.token}` } }
    },
    async link(kind, email) {
      const leads = (mail: ReceivedEmail) => mail.to.includes(email) && mail.text.includes(`/${kind}#`)
      await mailbox.waitFor(leads)
      return tokenOf(mailbox.emails.findLast(leads)!)
    },
    async close() {
      await app.close()
      await mailbox.close()
    },
  }
}

/** Extracts the token of the link in an email's text. */
export function tokenOf(mail: ReceivedEmail): string {
  const token = /#([\w-]{43})$/m.exec(mail.text)?.[1]
  if (!token) throw new Error(`no link in: ${mail.text}`)
  return token
}
