import type { IncomingMessage } from 'node:http'

/** Absolute form: a host without a user name, then the path or query as sent, and no fragment. */
const ABSOLUTE = /^https?:\/\/(?<host>[^/\\?#@]+)(?<path>\/[^#]*|\?[^#]*|)$/i
/** `.` and `..` as segments, encoded or not, and slashes that only some programs interpret as such. */
const AMBIGUOUS_PATH = /(?:^|\/)(?:\.|%2e){1,2}(?=\/|$)|%2f|%5c|\\/i

/** Returns path and query of a request, or the text of a 400 if they are ambiguous. */
export function readTarget({
  url = '',
  httpVersionMajor,
  rawHeaders,
}: Pick<IncomingMessage, 'url' | 'httpVersionMajor' | 'rawHeaders'>): { target: string } | { fault: string } {
  const target = originForm(url)
  if (target === null || httpVersionMajor !== 1) return { fault: 'Bad Request' }
  // A proxy may interpret these differently and apply the rules of another host or path.
  if (AMBIGUOUS_PATH.test(pathOf(target)))
    return { fault: 'The path has dot segments, backslashes or encoded slashes. Send it without them.' }
  // Names and values alternate. RFC 9112, section 3.2, requires a rejection, but Node keeps the first Host.
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1 ? { fault: 'The request has more than one Host header. Send one.' } : { target }
}

/** Returns a target without its query. */
export function pathOf(target: string): string {
  const end = target.indexOf('?')
  return end === -1 ? target : target.slice(0, end)
}

/**
 * Returns path and query of a request target, without the host of the absolute form: `sanitizeRequest` sets the site's
 * host anyway. Returns null for forms that only proxies accept or that are invalid. Next would respond with 500.
 */
export function originForm(target: string): string | null {
  if (target.startsWith('/')) return decodable(target)
  const { host, path = '' } = ABSOLUTE.exec(target)?.groups ?? {}
  if (!URL.canParse(`http://${host ?? ''}`)) return null
  return decodable(path.startsWith('/') ? path : `/${path}`)
}

/** Escapes the percent signs of malformed escapes such as `%E0%A4%A`, to which Next would respond with 500. */
function decodable(target: string): string {
  if (!target.includes('%')) return target
  const [path = '', ...query] = target.split('?')
  try {
    decodeURIComponent(path)
    return target
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?')
  }
}
