import { buttonClass } from '../components/button-class.ts'
import { signInErrorKey } from '../sign-in/sign-in-error-key.ts'
import { centeredPage } from './centered-page.ts'
import { forgotLinkClass } from './forgot-link-class.ts'
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
  /** Email of the form that was rejected. */
  email: string | undefined
  canReset: boolean
  canSignUp: boolean
  providers: { id: string; name: string }[]
}

/**
 * Page with a form for next-auth. Its script signs in without leaving the page, and offers passkeys. The elements of
 * `data-first-step` disappear once a passkey is required: then the user can continue only with that or a recovery code.
 */
export function signInPage(context: PageContext, props: SignInPageProps): string {
  const { t } = context
  const { siteUrl, next, csrfToken, error, email, canReset, canSignUp, providers } = props
  const fixed = html`<input type="hidden" name="csrfToken" value="${csrfToken}"><input type="hidden" name="callbackUrl" value="${next}">`
  const needsPasskey = error === 'PasskeyRequired'
  const restart = `/signin?callbackUrl=${encodeURIComponent(next)}`
  const forgot = html`<a href="/forgot-password" class="${forgotLinkClass}">${t('signIn.forgot')}</a>`
  const hasProviders = providers.length > 0 && !needsPasskey
  const or = html`<p data-first-step class="flex items-center gap-3 text-sm text-ink-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">${t('signIn.or')}</p>`
  const account = html`<p${attributes({ 'data-account': true, hidden: !needsPasskey, class: 'flex flex-wrap gap-x-2 text-sm' })}><bdi class="min-w-0 font-medium wrap-anywhere empty:hidden"></bdi>${textLink(restart, t(needsPasskey ? 'missingFile.otherAccount' : 'signIn.notYou'))}</p>`
  const credentials = html`<div${attributes({ 'data-credentials': true, hidden: needsPasskey, class: 'space-y-4' })}>${emailField(t, { input: { autocomplete: 'username webauthn', autofocus: !needsPasskey && !email, value: email } })}${passwordField(t, { corner: canReset ? forgot : undefined, input: { autofocus: !needsPasskey && email !== undefined } })}</div>`
  const submit = html`<button${attributes({ type: 'submit', 'data-busy': t('signIn.submitting'), hidden: needsPasskey, class: signInButtonClass(true) })}>${t('signIn.submit')}</button>`
  const passkeys = html`<div data-passkeys class="needs-script space-y-4">${!hasProviders && !needsPasskey && or}<div class="space-y-3"><button type="button" data-passkey class="${signInButtonClass(needsPasskey)}">${icon('key', 'size-4')}${t('passkeys.signIn')}</button></div></div>`
  const recovery = html`<button${attributes({ type: 'button', 'data-recovery': true, hidden: !needsPasskey, class: `needs-script ${buttonClass('secondary', 'min-h-11 w-full')}` })}>${t('passkeys.useCode')}</button>`
  const main = html`<div class="flex flex-col gap-4">${!needsPasskey && account}<form method="post" action="/api/auth/callback/credentials" data-form="sign-in" class="flex flex-col gap-4">${fixed}${error && notice(t(signInErrorKey(error)), !needsPasskey)}${credentials}${submit}</form>${hasProviders && or}${passkeys}${recovery}${needsPasskey && account}</div>${hasProviders && providerForms(providers, fixed, (provider) => t('signIn.continueWith', { provider }))}`
  const newHere = t.rich('signIn.newHere', { link: (text) => textLink('/signup', String(text)).html })
  const footer =
    canSignUp && !needsPasskey ? html`<span data-first-step>${{ html: String(newHere) }}</span>` : undefined
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
  return html`<div data-first-step class="mt-4 space-y-3">${forms}</div>`
}
