/** Origins, besides the app's own, that pages need to reach. */
export type PageOrigins = {
  /** Of presigned URLs; undefined until it is known. */
  store: string | undefined
  /** Of S3_PUBLIC_URL. */
  files: string | undefined
  /** Sign-in providers that a form may be redirected to. */
  signIn: string[]
}

const YEAR_SECONDS = 31_536_000

/** Headers of every response. */
export function commonHeaders(baseUrl: string): [string, string][] {
  return [
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Frame-Options', 'DENY'],
    ['Referrer-Policy', 'strict-origin-when-cross-origin'],
    ['Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Cross-Origin-Resource-Policy', 'same-site'],
    // Without includeSubDomains: the operator may run other services below the domain.
    ...(baseUrl.startsWith('https:')
      ? [['Strict-Transport-Security', `max-age=${YEAR_SECONDS}`] as [string, string]]
      : []),
  ]
}

/** Content-Security-Policy of data responses: nothing in them may run, load or be framed. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** Whether the path is below that of shared links, whose token is a secret. */
export function isShare(path: string): boolean {
  return path.startsWith('/s/')
}

/** Of shared links, besides the headers of every response: no other site and no index of the web learns of them. */
export const SHARE_HEADERS: [string, string][] = [
  ['Referrer-Policy', 'no-referrer'],
  ['X-Robots-Tag', 'noindex, nofollow'],
]

/** Content-Security-Policy of shared links: no scripts, and pictures from here and the store only. */
export function sharePolicy({ store }: PageOrigins): string {
  return `default-src 'none'; style-src 'unsafe-inline'; img-src ${list(["'self'", store])}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
}

/** Whether a path may be a page. next-auth has pages of its own below /api/auth. */
export function isPage(path: string): boolean {
  return path.startsWith('/api/auth/') || !/^\/(api|files|_next)\//.test(path)
}

/**
 * Content-Security-Policy of pages. Scripts run from our own files or with this response's nonce. Inline styles are
 * allowed, because React and Radix set style attributes and elements at run time, and styles cannot run code.
 */
export function pagePolicy(nonce: string, { store, files, signIn }: PageOrigins, dev: boolean): string {
  const media = list(["'self'", 'data:', 'blob:', store, files])
  const rules: Record<string, string> = {
    'default-src': "'self'",
    // React's development build uses eval to rebuild stacks.
    'script-src': list(["'self'", `'nonce-${nonce}'`, dev ? "'unsafe-eval'" : undefined]),
    'style-src': "'self' 'unsafe-inline'",
    // Pictures of messages are where their senders keep them.
    'img-src': `${media} https:`,
    'media-src': media,
    'font-src': "'self'",
    'connect-src': list(["'self'", store, dev ? 'ws:' : undefined]),
    // PDFs are shown in a frame of the store's origin, with the type that the link to it was signed for.
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
