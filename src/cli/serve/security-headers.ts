import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  commonHeaders,
  DATA_POLICY,
  isPage,
  type PageOrigins,
  pagePolicy,
} from '../../server/http/security-headers.ts'

/** Returns a function that sets the security headers of a response. */
export function createSecurityHeaders(baseUrl: string, origins: PageOrigins, dev: boolean) {
  const common = commonHeaders(baseUrl)
  return (request: IncomingMessage, response: ServerResponse, path: string): void => {
    for (const [name, value] of common) response.setHeader(name, value)
    delete request.headers['content-security-policy-report-only']
    delete request.headers['content-security-policy']
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
