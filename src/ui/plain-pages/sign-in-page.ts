import { buttonClass } from '../components/button-class.ts'
import { signInErrorKey } from '../sign-in/sign-in-error-key.ts'
import { centeredPage } from './centered-page.ts'
import { attributes, type Html, html } from './html.ts'
import type { PageContext } from './page-context.ts'
import { pageData } from './page-data.ts'
import { emailField, icon, notice, passwordField, textLink } from './parts.ts'
import { signInButtonClass } from './sign-in-button-class.ts'

type SignInPageProps = {
  siteUrl: string
  /** Path to open afterwards. */
  next: string
  /** Token that next-auth requires in forms. */
  csrfToken: string
  /** Code for `signInErrorKey`, if a sign-in failed. */
  error: string | undefined
  canReset: boolean
  canSignUp: boolean
  providers: { id: string; name: string }[]
}

/** Page with a form for next-auth. Its script signs in without leaving the page, and offers passkeys. */
export function signInPage(context: PageContext, props: SignInPageProps): string {
  const { t } = context
  const { siteUrl, next, csrfToken, error, canReset, canSignUp, providers } = props
  const fixed = html`<input type="hidden" name="csrfToken" value="${csrfToken}"><input type="hidden" name="callbackUrl" value="${next}">`
  const needsPasskey = error === 'PasskeyRequired'
  const forgot = html`<a href="/forgot-password" class="absolute -top-4 right-0 inline-flex min-h-11 items-end pb-2 text-sm text-accent underline underline-offset-2">${t('signIn.forgot')}</a>`
  const hasProviders = providers.length > 0
  const or = html`<p class="flex items-center gap-3 text-sm text-ink-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">${t('signIn.or')}</p>`
  const main = html`<div class="flex flex-col gap-4"><form method="post" action="/api/auth/callback/credentials" data-form="sign-in" class="space-y-4">${fixed}${error && notice(t(signInErrorKey(error)), !needsPasskey)}${emailField(t, { input: { autocomplete: 'username webauthn', autofocus: !needsPasskey } })}${passwordField(t, { corner: canReset ? forgot : undefined })}<button type="submit" data-busy="${t('signIn.submitting')}" class="${signInButtonClass(!needsPasskey)}">${t('signIn.submit')}</button></form>${hasProviders && or}<div data-passkeys class="needs-script space-y-4">${!hasProviders && or}<div class="space-y-3"><button type="button" data-passkey class="${signInButtonClass(needsPasskey)}">${icon('key', 'size-4')}${t('passkeys.signIn')}</button></div></div><button${attributes({ type: 'button', 'data-recovery': true, hidden: !needsPasskey, class: `needs-script ${buttonClass('secondary', 'min-h-11 w-full')}` })}>${t('passkeys.useCode')}</button></div>${hasProviders && providerForms(providers, fixed, (provider) => t('signIn.continueWith', { provider }))}`
  const newHere = t.rich('signIn.newHere', { link: (text) => textLink('/signup', String(text)).html })
  const footer = canSignUp ? { html: String(newHere) } : undefined
  return centeredPage(context, {
    title: t('signIn.title'),
    main,
    footer,
    data: pageData(context, { next, error }),
    siteUrl,
  })
}

/** A form per provider. next-auth answers with a redirect to the provider's page. */
function providerForms(
  providers: SignInPageProps['providers'],
  fixed: Html,
  label: (name: string) => string,
): Html {
  const forms = providers.map(
    ({ id, name }) =>
      html`<form method="post" action="/api/auth/signin/${id}">${fixed}<button type="submit" class="${buttonClass('secondary', 'min-h-11 w-full')}">${label(name)}</button></form>`,
  )
  return html`<div class="mt-4 space-y-3">${forms}</div>`
}
