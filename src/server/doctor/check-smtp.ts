import type { Config } from '../config.ts'
import { isLoopback } from '../mail/mail-server.ts'
import { createSmtp } from '../mail/smtp.ts'
import { describe, type Report } from './finding.ts'

/** Domains that nobody has (RFC 2606, RFC 6761): no answer to a mail arrives, and other servers refuse the sender. */
const NOBODYS = /(^|\.)(localhost|local|test|invalid|example|example\.(com|org|net))$/i

/** Connects to the mail server and signs in, as for a mail, and sends none. */
export async function checkSmtp({ mail, allowSignUp }: Pick<Config, 'mail' | 'allowSignUp'>, report: Report) {
  if (!mail) {
    const without = 'not configured (SMTP_URL, MAIL_FROM): nobody can reset a password'
    if (allowSignUp) report('smtp', 'warn', `${without}, and sign-ups upload without a proven email`)
    else report('smtp', 'ok', without)
    return
  }
  const { host, port, secure, auth, from } = mail
  try {
    const { encrypted } = await createSmtp(mail).verify()
    const words = `${host}:${port} takes a connection${auth ? ' and the user and password' : ''}`
    if (encrypted || isLoopback(host)) report('smtp', 'ok', words)
    else
      report(
        'smtp',
        'warn',
        `${words}, but unencrypted: whoever is on the way can read links that open accounts. Use a server with STARTTLS, or smtps://`,
      )
  } catch (error) {
    const advice =
      (error as { code?: string }).code === 'EAUTH'
        ? 'check the user and password in SMTP_URL'
        : `check SMTP_URL (${secure ? 'smtps:// is TLS from the start, usually port 465' : 'smtp:// is usually port 587 or 25'}) and that this machine reaches it`
    report('smtp', 'FAIL', `${describe(error)}: ${advice}`)
  }
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
  if (NOBODYS.test(domain) && !isLoopback(host))
    report('smtp-from', 'warn', `MAIL_FROM is at ${domain}, which nobody has: most servers refuse such mail`)
  else report('smtp-from', 'ok', from.address)
}
