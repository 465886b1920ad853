/** Where mails go, from SMTP_URL and MAIL_FROM. */
export type MailServer = {
  host: string
  port: number
  /** TLS from the start. Otherwise STARTTLS, where the server offers it. */
  secure: boolean
  auth: { user: string; pass: string } | undefined
  from: { name: string; address: string }
}

const PORTS: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 }

/** Null: not a URL like `smtp://user:password@smtp.example.com:587`. */
export function parseSmtpUrl(text: string): Omit<MailServer, 'from'> | null {
  const url = URL.parse(text)
  const port = url && PORTS[url.protocol]
  if (!url?.hostname || port === undefined || port === null) return null
  if (!['', '/'].includes(url.pathname) || url.search || url.hash) return null
  if ((url.username === '') !== (url.password === '')) return null
  try {
    return {
      // Not a special scheme: brackets of an IPv6 address stay.
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? port : Number(url.port),
      secure: url.protocol === 'smtps:',
      auth: url.username
        ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
        : undefined,
    }
  } catch {
    // A lone % in user or password.
    return null
  }
}

/**
 * Addresses without quotes and comments. Others are next to unknown, and libraries and servers disagree about them:
 * with `a,eve@example.com` nodemailer would write to eve@example.com.
 */
const ADDRESS = /^[^\s@<>",;:\\()[\]\p{Cc}]{1,64}@[^\s@<>",;:\\()[\]\p{Cc}]{1,190}$/u
export function isPlainAddress(address: string): boolean {
  return ADDRESS.test(address)
}

const NAMED = /^(?<name>[^<>"\p{Cc}]*)<(?<address>[^<>]*)>$/u

/** Null: neither an address nor `Name <address>`. */
export function parseMailFrom(text: string): MailServer['from'] | null {
  const { name = '', address = text } = NAMED.exec(text.trim())?.groups ?? {}
  return isPlainAddress(address.trim()) ? { name: name.trim(), address: address.trim() } : null
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}
