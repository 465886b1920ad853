import type { Config } from '../../config/config.ts'

/**
 * Returns the provider of stored identities. Includes the issuer for OIDC: the same ID at another issuer is
 * another user, even if OIDC_ISSUER changes later.
 */
export function providerKey(providerId: string, config: Config): string {
  return providerId === 'oidc' ? `oidc:${config.providers.oidc?.issuer}` : providerId
}
