import { createLoadKeys, discoveryUrl } from '../adapters/jwks/load-keys.ts'
import type { Config } from '../config/config.ts'
import { compareClocks, fetchStatus } from './peer.ts'
import { attempt, fail, ok, type Report } from './report.ts'

/** Loads the keys of AUTH_JWT_ISSUER as the server does, and compares clocks: tokens are valid for minutes. */
export async function checkIssuer({ externalIssuer }: Pick<Config, 'externalIssuer'>, report: Report) {
  if (!externalIssuer) return
  const { issuer, jwksUrl } = externalIssuer
  await attempt(report, 'issuer-keys', async () => {
    const { keys } = await createLoadKeys(externalIssuer)(new AbortController().signal)
    const asymmetric = keys.filter(({ kty }) => kty !== 'oct').length
    return asymmetric > 0
      ? ok(`public keys found: ${asymmetric}`)
      : fail('does not publish a public key, so all its tokens are rejected: publish the public signing key')
  })
  await attempt(report, 'issuer-clock', () =>
    compareClocks(async () => {
      const { headers } = await fetchStatus(jwksUrl ?? discoveryUrl(issuer), {
        signal: AbortSignal.timeout(5_000),
      })
      return headers.get('date')
    }, ok('sends no Date header to compare')),
  )
}
