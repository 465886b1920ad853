import { buttonClass } from '../components/button-class.ts'
import { centeredPage } from './centered-page.ts'
import { html } from './html.ts'
import type { PageContext } from './page-context.ts'
import { pageData } from './page-data.ts'
import { emailField, newPasswordField, notice, textField, textLink } from './parts.ts'
import { SIGN_UP_FIELD_ERRORS } from './sign-up-errors.ts'

type SignUpPageProps = {
  siteUrl: string
  isOpen: boolean
  csrfToken: string
  /** Fields of a rejected form, and why it was rejected. */
  rejected?: { name: string; email: string; fields: Partial<Record<string, unknown>>; error?: string }
}

export function signUpPage(context: PageContext, props: SignUpPageProps): string {
  const { t } = context
  const { siteUrl, isOpen, csrfToken, rejected } = props
  const haveAccount = t.rich('signUp.haveAccount', {
    link: (text) => textLink('/signin', String(text)).html,
  })
  const footer = { html: String(haveAccount) }
  if (!isOpen) {
    const closed = html`<p class="text-sm text-ink-soft">${t('signUp.closed')}</p>`
    return centeredPage(context, { title: t('signUp.closedTitle'), main: closed, footer, siteUrl })
  }
  const errorOf = (name: keyof typeof SIGN_UP_FIELD_ERRORS) =>
    rejected?.fields[name] ? t(SIGN_UP_FIELD_ERRORS[name]) : undefined
  const email = emailField(t, {
    error: errorOf('email'),
    input: { autofocus: true, value: rejected?.email },
  })
  const name = textField({
    label: t('signUp.name'),
    name: 'name',
    error: errorOf('name'),
    input: { autocomplete: 'name', maxlength: 100, value: rejected?.name },
  })
  const main = html`<form method="post" action="/signup" data-form="sign-up" class="space-y-4"><input type="hidden" name="csrfToken" value="${csrfToken}">${rejected?.error && notice(rejected.error)}${email}${name}${newPasswordField(t, { error: errorOf('password') })}<button type="submit" data-busy="${t('signUp.submitting')}" class="${buttonClass('primary', 'min-h-11 w-full')}">${t('signUp.submit')}</button></form>`
  return centeredPage(context, {
    title: t('signUp.title'),
    main,
    footer,
    data: pageData(context, { next: '/' }),
    siteUrl,
  })
}
