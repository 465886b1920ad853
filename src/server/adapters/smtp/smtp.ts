import type { Transporter } from 'nodemailer'
import { isLoopback } from '../../kernel/loopback.ts'
import { isPlainAddress } from '../../kernel/mail-address.ts'
import type { ComposedMail } from './compose.ts'

type MailServer = {
  host: string
  port: number
  /** TLS from the start. Otherwise STARTTLS, if the server offers it. */
  secure: boolean
  auth: { user: string; pass: string } | undefined
  from: { name: string; address: string }
}

/** Limit for a connection with greeting and TLS, and again for the email itself. */
const TIMEOUT_MS = 10_000

/** The email will never be accepted, because of the server's response or its address. */
export class MailRejected extends Error {
  override readonly name = 'MailRejected'
}

/**
 * Sends emails. Each has its own connection, because emails are rare. `smtps:` starts with TLS; `smtp:` uses TLS if
 * the server offers it, and requires it before a password leaves this machine.
 */
export function createSmtp({ host, port, secure, auth, from }: MailServer) {
  const connection = {
    host,
    port,
    secure,
    requireTLS: auth !== undefined && !isLoopback(host),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
  }
  let transport: Promise<Transporter> | undefined

  /** Loads the library with the first email, so that a service without emails does not pay for it. */
  async function load(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer')
    return createTransport({ ...connection, auth, disableFileAccess: true, disableUrlAccess: true })
  }

  return {
    /** Resolves when the server has accepted the email. @throws MailRejected; other errors if a retry may succeed */
    async send({ to, ...content }: ComposedMail, signal: AbortSignal): Promise<void> {
      if (!isPlainAddress(to)) throw new MailRejected('the address has characters that SMTP cannot send')
      try {
        transport ??= load()
        await (await transport).sendMail({
          from,
          to: { name: '', address: to },
          envelope: { from: from.address, to: [to] },
          ...content,
          // Prevents "out of office" and mailing list replies (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.any([signal, AbortSignal.timeout(2 * TIMEOUT_MS)]),
        })
      } catch (error) {
        throw isRejection(error) ? new MailRejected((error as Error).message, { cause: error }) : error
      }
    },

    /** Connects and signs in as for an email, but sends none. @throws Error */
    async verify(): Promise<{ encrypted: boolean }> {
      const { default: SmtpConnection } = await import('nodemailer/lib/smtp-connection')
      const smtp = new SmtpConnection(connection)
      try {
        await new Promise<void>((resolve, reject) => {
          smtp.once('error', reject)
          smtp.once('end', () => reject(new Error('The server closed the connection')))
          const signedIn = (error?: Error | null) => (error ? reject(error) : resolve())
          smtp.connect((error) => {
            if (error || !auth) signedIn(error)
            else if (smtp.allowsAuth) smtp.login(auth, signedIn)
            else reject(new Error('The server does not support authentication, but SMTP_URL has a user'))
          })
        })
        return { encrypted: smtp.secure }
      } finally {
        smtp.close()
      }
    },
  }
}

/** Returns true for 5xx, which is permanent, and for envelopes that the library finds malformed. */
function isRejection(error: unknown): boolean {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  // A rejected password is a configuration error, which the operator may fix within the hour.
  if (code === 'EAUTH') return false
  return (responseCode ?? (code === 'EENVELOPE' ? 500 : 0)) >= 500
}
