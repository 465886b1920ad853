import type { Config } from '../config.ts'
import { createLoadKeys, discoveryUrl } from '../jwt/load-keys.ts'
import { attempt, type Report, reportSkew, timeIn } from './finding.ts'

const TIMEOUT_MS = 5_000

/** Loads the keys of AUTH_JWT_ISSUER as the server does, and compares its clock: tokens are good for minutes. */
export async function checkIssuer(
  { externalIssuer }: Pick<Config, 'externalIssuer'>,
  report: Report,
): Promise<void> {
  if (!externalIssuer) return
  const { issuer, jwksUrl } = externalIssuer
  await attempt(report, 'issuer-keys', async () => {
    const { keys } = await createLoadKeys(externalIssuer)(new AbortController().signal)
    const asymmetric = keys.filter(({ kty }) => kty !== 'oct').length
    if (asymmetric > 0) report('issuer-keys', 'ok', `publishes ${asymmetric} public keys`)
    else report('issuer-keys', 'FAIL', 'publishes no public key: every token of this issuer is refused')
  })
  await attempt(report, 'issuer-clock', async () => {
    const before = Date.now()
    const response = await fetch(jwksUrl ?? discoveryUrl(issuer), { signal: AbortSignal.timeout(TIMEOUT_MS) })
    await response.body?.cancel()
    const date = response.headers.get('date')
    if (date) reportSkew(report, 'issuer-clock', timeIn(date), new Date((before + Date.now()) / 2))
    else report('issuer-clock', 'ok', 'sends no Date to compare')
  })
}
