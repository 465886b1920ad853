import { isPlainAddress } from '../kernel/mail-address.ts'

const PORTS: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 }

/** Returns null if the text is not a URL like `smtp://user:password@smtp.example.com:587`. */
export function parseSmtpUrl(text: string) {
  const url = URL.parse(text)
  const port = url && PORTS[url.protocol]
  if (!url?.hostname || port === undefined || port === null) return null
  if (!['', '/'].includes(url.pathname) || url.search || url.hash) return null
  if ((url.username === '') !== (url.password === '')) return null
  try {
    return {
      // URL keeps the brackets of IPv6 addresses.
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? port : Number(url.port),
      /** TLS from the start. Otherwise STARTTLS if the server offers it. */
      secure: url.protocol === 'smtps:',
      auth: url.username
        ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
        : undefined,
    }
  } catch {
    // User or password contains % that is not part of an escape.
    return null
  }
}

const NAMED = /^(?<name>[^<>"\p{Cc}]*)<(?<address>[^<>]*)>$/u

/** Returns null if the text is neither an address nor `Name <address>`. */
export function parseMailFrom(text: string): { name: string; address: string } | null {
  const { name = '', address = text } = NAMED.exec(text.trim())?.groups ?? {}
  return isPlainAddress(address.trim()) ? { name: name.trim(), address: address.trim() } : null
}
