import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Origins that pages need, besides the app's own. */
export type PageOrigins = {
  /** Origin of presigned URLs; undefined until it is known. */
  store: string | undefined
  /** Origin of S3_PUBLIC_URL. */
  files: string | undefined
  /** Sign-in providers to which a form can be redirected. */
  signIn: string[]
}

const YEAR_SECONDS = 31_536_000

/** Returns the headers of every response. */
function commonHeaders(baseUrl: string): [string, string][] {
  return [
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Frame-Options', 'DENY'],
    ['Referrer-Policy', 'strict-origin-when-cross-origin'],
    ['Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Cross-Origin-Resource-Policy', 'same-site'],
    // Without includeSubDomains, because the operator may run other services on subdomains.
    ...(baseUrl.startsWith('https:')
      ? [['Strict-Transport-Security', `max-age=${YEAR_SECONDS}`] as [string, string]]
      : []),
  ]
}

/** Content-Security-Policy of data responses, which need neither scripts, resources nor frames. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** Returns true for shared-link paths, whose token is secret. */
export function isShare(path: string): boolean {
  return path.startsWith('/s/')
}

/** Additional headers of shared links, so that neither other sites nor search engines learn the link. */
const SHARE_HEADERS: [string, string][] = [
  ['Referrer-Policy', 'no-referrer'],
  ['X-Robots-Tag', 'noindex, nofollow'],
]

/** Returns the Content-Security-Policy of shared links: no scripts, and images only from this app and the store. */
function sharePolicy({ store }: PageOrigins): string {
  return `default-src 'none'; style-src 'unsafe-inline'; img-src ${list(["'self'", store])}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
}

/** Returns true for paths that can be pages. next-auth serves pages below /api/auth. */
export function isPage(path: string): boolean {
  return path.startsWith('/api/auth/') || !/^\/(api|files|_next)\//.test(path)
}

/**
 * Returns the Content-Security-Policy of pages. Scripts must come from the app's files or have this response's nonce.
 * Inline styles are allowed, because React and Radix set them at run time, and styles cannot run code.
 */
function pagePolicy(nonce: string, { store, files, signIn }: PageOrigins, dev: boolean): string {
  const media = list(["'self'", 'data:', 'blob:', store, files])
  const rules: Record<string, string> = {
    'default-src': "'self'",
    // React's development build uses eval to reconstruct stacks.
    'script-src': list(["'self'", `'nonce-${nonce}'`, dev ? "'unsafe-eval'" : undefined]),
    'style-src': "'self' 'unsafe-inline'",
    // Senders of messages host their images anywhere.
    'img-src': `${media} https:`,
    'media-src': media,
    'font-src': "'self'",
    'connect-src': list(["'self'", store, dev ? 'ws:' : undefined]),
    // Pages show PDFs in a frame from the store's origin; the signed link fixes their type.
    'frame-src': store ?? "'none'",
    'worker-src': "'self'",
    'object-src': "'none'",
    'base-uri': "'none'",
    'form-action': list(["'self'", ...signIn]),
    'frame-ancestors': "'none'",
  }
  return Object.entries(rules)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}

function list(sources: (string | undefined)[]): string {
  return [...new Set(sources.filter((source) => source !== undefined))].join(' ')
}

/** Returns a function that sets the security headers of a response. */
export function createSecurityHeaders(baseUrl: string, origins: PageOrigins, dev: boolean) {
  const common = commonHeaders(baseUrl)
  return (request: IncomingMessage, response: ServerResponse, path: string): void => {
    for (const [name, value] of common) response.setHeader(name, value)
    delete request.headers['content-security-policy-report-only']
    delete request.headers['content-security-policy']
    if (isShare(path)) {
      for (const [name, value] of SHARE_HEADERS) response.setHeader(name, value)
      response.setHeader('Content-Security-Policy', sharePolicy(origins))
      return
    }
    if (!isPage(path)) {
      response.setHeader('Content-Security-Policy', DATA_POLICY)
      return
    }
    const policy = pagePolicy(randomBytes(16).toString('base64'), origins, dev)
    response.setHeader('Content-Security-Policy', policy)
    // Next takes the nonce for its scripts from the request.
    request.headers['content-security-policy'] = policy
  }
}
