import { daysAfter } from '../../kernel/clock.ts'
import type { Services } from '../services.ts'

/** RFC 9116 recommends less than a year. Each request gets a new expiry date. */
const VALID_DAYS = 30

/**
 * GET /.well-known/security.txt (RFC 9116). The contact is the mailbox that RFC 2142 reserves for security at the
 * host of NEXTAUTH_URL. Operators with another contact serve their own file at this path.
 */
export function securityTxt({ config, clock }: Pick<Services, 'config' | 'clock'>): Response {
  const { hostname } = new URL(config.baseUrl)
  const lines = [
    `Contact: mailto:security@${hostname}`,
    `Expires: ${daysAfter(clock.now(), VALID_DAYS).toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${config.baseUrl}/.well-known/security.txt`,
  ]
  return new Response(`${lines.join('\n')}\n`, {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=86400' },
  })
}
