import type { Transporter } from 'nodemailer'
import type { ComposedMail } from './compose.ts'
import { isLoopback, isPlainAddress, type MailServer } from './mail-server.ts'

/** For a connection with its greeting and TLS, and again for the mail itself. */
const TIMEOUT_MS = 10_000

/** A mail server that will not take this mail later either: its answer, or a fault of the address. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused'
}

export type Smtp = {
  /** Resolves when the server has taken the mail. @throws MailRefused; Error for what may succeed later */
  send(mail: ComposedMail, signal: AbortSignal): Promise<void>
  /** Connects and signs in as for a mail, sends none. @throws Error */
  verify(): Promise<{ encrypted: boolean }>
}

/**
 * Sends mails, each over a connection of its own: they are rare. `smtps:` is TLS from the start; `smtp:` takes TLS where
 * the server offers it, and insists on it before a password leaves this machine.
 */
export function createSmtp(server: MailServer): Smtp {
  const { host, port, secure, auth } = server
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

  /** Loaded with the first mail: a service without mail does not pay for the library. */
  async function load(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer')
    return createTransport({ ...connection, auth, disableFileAccess: true, disableUrlAccess: true })
  }
  const loaded = () => (transport ??= load())

  return {
    async send({ to, ...content }, signal) {
      if (!isPlainAddress(to)) throw new MailRefused('the address has characters that no mail can be sent to')
      try {
        const transporter = await loaded()
        await transporter.sendMail({
          from: server.from,
          to: { name: '', address: to },
          envelope: { from: server.from.address, to: [to] },
          ...content,
          // Nobody's "out of office" and no list server should answer (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.any([signal, AbortSignal.timeout(2 * TIMEOUT_MS)]),
        })
      } catch (error) {
        throw isRefusal(error) ? new MailRefused(messageOf(error), { cause: error }) : error
      }
    },
    async verify() {
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
            else reject(new Error('The server offers no sign-in, and SMTP_URL has a user'))
          })
        })
        return { encrypted: smtp.secure }
      } finally {
        smtp.close()
      }
    },
  }
}

/** 5xx: the server will not take it later either. So will none take an envelope that the library finds malformed. */
function isRefusal(error: unknown): boolean {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  // A password that is refused is our configuration, which somebody may mend within the hour.
  if (code === 'EAUTH') return false
  return code === 'EENVELOPE' ? (responseCode ?? 500) >= 500 : (responseCode ?? 0) >= 500
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
