import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  commonHeaders,
  DATA_POLICY,
  isPage,
  isShare,
  type PageOrigins,
  pagePolicy,
  SHARE_HEADERS,
  sharePolicy,
} from '../../server/http/security-headers.ts'

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
    // Next reads the nonce for its own scripts from the request.
    request.headers['content-security-policy'] = policy
  }
}
