import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

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
function commonHeaders(baseUrl: string, referrerPolicy: string): string[] {
  return [
    ...['X-Content-Type-Options', 'nosniff'],
    ...['X-Frame-Options', 'DENY'],
    ...['Referrer-Policy', referrerPolicy],
    ...['Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
    ...['Cross-Origin-Opener-Policy', 'same-origin'],
    ...['Cross-Origin-Resource-Policy', 'same-site'],
    // Without includeSubDomains, because the operator may run other services on subdomains.
    ...(baseUrl.startsWith('https:') ? ['Strict-Transport-Security', `max-age=${YEAR_SECONDS}`] : []),
  ]
}

/** Content-Security-Policy of data responses, which need neither scripts, resources nor frames. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** Content-Security-Policy of /files/{id}, which is a page if the file is missing. Allows only the app's script and style. */
const FILE_POLICY =
  "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const isFile = (path: string) => /^\/files\/[^/]+$/.test(path)

/** Returns true for shared-link paths, whose token is secret. */
export function isShare(path: string): boolean {
  return path.startsWith('/s/')
}

/** Returns the Content-Security-Policy of shared links: no scripts, and images only from this app and the store. */
function sharePolicy({ store }: PageOrigins): string {
  return `default-src 'none'; style-src 'self'; img-src ${list(["'self'", store])}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
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

/** Returns a function that returns the security headers of a response, names and values in turn. */
export function createSecurityHeaders(baseUrl: string, origins: PageOrigins, dev: boolean) {
  const common = commonHeaders(baseUrl, 'strict-origin-when-cross-origin')
  const data = [...common, 'Content-Security-Policy', DATA_POLICY]
  const file = [...common, 'Content-Security-Policy', FILE_POLICY]
  return (request: IncomingMessage, path: string): string[] => {
    delete request.headers['content-security-policy-report-only']
    delete request.headers['content-security-policy']
    if (isShare(path))
      // So that neither other sites nor search engines learn the link.
      return [
        ...commonHeaders(baseUrl, 'no-referrer'),
        ...['X-Robots-Tag', 'noindex, nofollow'],
        ...['Content-Security-Policy', sharePolicy(origins)],
      ]
    if (!isPage(path)) return isFile(path) ? file : data
    const policy = pagePolicy(randomBytes(16).toString('base64'), origins, dev)
    // Next takes the nonce for its scripts from the request.
    request.headers['content-security-policy'] = policy
    return [...common, 'Content-Security-Policy', policy]
  }
}
