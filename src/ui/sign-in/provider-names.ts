import type { Translator } from '../i18n/translator.ts'

/** Returns the names of the sign-in providers. */
export const providerNames = (t: Translator) => ({
  github: 'GitHub',
  google: 'Google',
  oidc: t('signIn.singleSignOn'),
})

export type ProviderId = keyof ReturnType<typeof providerNames>
