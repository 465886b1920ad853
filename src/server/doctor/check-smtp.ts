import { createSmtp } from '../adapters/smtp/smtp.ts'
import type { Config } from '../config/config.ts'
import { isLoopback } from '../kernel/loopback.ts'
import { attempt, describe, fail, ok, type Report, type Verdict, warn } from './report.ts'

/** Reserved domains (RFC 2606, RFC 6761). Replies to them never arrive, and other servers reject such senders. */
const RESERVED_DOMAIN = /(^|\.)(localhost|local|test|invalid|example|example\.(com|org|net))$/i

/** Connects to the mail server and signs in as for an email, but sends none. */
export async function checkSmtp({ mail, allowSignUp }: Pick<Config, 'mail' | 'allowSignUp'>, report: Report) {
  if (!mail) {
    const message = 'SMTP_URL and MAIL_FROM are not set: users cannot reset passwords'
    report(
      'smtp',
      ...(allowSignUp ? warn(`${message}, and new users upload without a verified email`) : ok(message)),
    )
    return
  }
  await attempt(report, 'smtp', () => checkConnection(mail))
  const domain = mail.from.address.slice(mail.from.address.lastIndexOf('@') + 1)
  const isReserved = RESERVED_DOMAIN.test(domain) && !isLoopback(mail.host)
  report(
    'smtp-from',
    ...(isReserved
      ? warn(`MAIL_FROM uses the reserved domain ${domain}, which most servers reject: use your own domain`)
      : ok(mail.from.address)),
  )
}

async function checkConnection(mail: NonNullable<Config['mail']>): Promise<Verdict> {
  const { host, port, secure, auth } = mail
  try {
    const { encrypted } = await createSmtp(mail).verify()
    const server = `${host}:${port}`
    const message = auth ? `${server} accepts the user and password` : `${server} accepts connections`
    if (encrypted || isLoopback(host)) return ok(message)
    return warn(
      `${message}, but unencrypted: eavesdroppers can read links that give access to accounts. Use a server with STARTTLS, or smtps://`,
    )
  } catch (error) {
    const isAuth = (error as { code?: string }).code === 'EAUTH'
    const scheme = secure
      ? 'smtps:// starts with TLS, usually on port 465'
      : 'smtp:// usually uses port 587 or 25'
    const advice = isAuth
      ? 'check the user and password in SMTP_URL'
      : `check SMTP_URL (${scheme}) and that this machine can reach the server`
    return fail(`${describe(error)}: ${advice}`)
  }
}
