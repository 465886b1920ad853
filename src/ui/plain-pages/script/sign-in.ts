import type { Translator } from '../../i18n/translator.ts'
import { offerPasskeys, signInWithPasskey } from '../../passkeys/webauthn.ts'
import { signInWithPassword, signInWithRecoveryCode } from '../../sign-in/auth-api.ts'
import { loadPage } from '../../sign-in/load-page.ts'
import { signInErrorKey } from '../../sign-in/sign-in-error-key.ts'
import type { PageData } from '../page-data.ts'
import { recoveryCodeField } from '../parts.ts'
import { signInButtonClass } from '../sign-in-button-class.ts'
import { describe, enhanceForm, type Rejection, showNotice } from './form.ts'

/**
 * Signs in with the password, a recovery code or a passkey, and then opens `next`. Once a passkey is required, only the
 * fields of the next step are shown. Returns a function that stops offering passkeys in the email field.
 */
export function signIn(form: HTMLFormElement, t: Translator, { next, error }: PageData): () => void {
  const find = <T extends HTMLElement>(selector: string) => document.querySelector<T>(selector)!
  const firstStep = document.querySelectorAll<HTMLElement>('[data-first-step]')
  const account = find('[data-account]')
  const credentials = find('[data-credentials]')
  const passkeys = find('[data-passkeys]')
  const passkeyButton = find<HTMLButtonElement>('[data-passkey]')
  const passkeyGroup = passkeyButton.parentElement!
  const recoveryButton = find<HTMLButtonElement>('[data-recovery]')
  const submitButton = form.querySelector<HTMLButtonElement>('[type=submit]')!
  const password = form.querySelector<HTMLInputElement>('[name=password]')!
  const hasPasskeys = 'PublicKeyCredential' in window
  let needsPasskey = error === 'PasskeyRequired'
  /** Email whose password was correct. Undefined after a sign-in with a provider. */
  let knownEmail: string | undefined
  let codeField: HTMLElement | undefined
  let isBusy = false

  function draw(): void {
    const isPasskeyNext = needsPasskey && !codeField
    for (const one of firstStep) one.hidden = needsPasskey
    account.hidden = !needsPasskey
    account.firstElementChild!.textContent = knownEmail ?? ''
    credentials.hidden = isPasskeyNext || (codeField !== undefined && knownEmail !== undefined)
    submitButton.hidden = isPasskeyNext
    passkeys.hidden = !hasPasskeys || codeField !== undefined
    passkeyButton.className = signInButtonClass(isPasskeyNext)
    // Without passkeys, the code is the only next step.
    recoveryButton.hidden = !needsPasskey || (codeField !== undefined && !hasPasskeys)
    recoveryButton.textContent = t(codeField ? 'passkeys.withoutCode' : 'passkeys.useCode')
  }

  const focusNextStep = () => (hasPasskeys ? passkeyButton : recoveryButton).focus()

  async function submit(values: FormData): Promise<Rejection> {
    const email = String(values.get('email'))
    const typed = String(values.get('password'))
    const code = codeField
      ? await signInWithRecoveryCode(email, typed, String(values.get('recoveryCode')))
      : await signInWithPassword(email, typed)
    if (code === null) return loadPage(next)
    if (code === 'PasskeyRequired') {
      needsPasskey = true
      knownEmail = email
      draw()
      focusNextStep()
    } else if (code === 'CredentialsSignin' && !codeField) {
      // The next key replaces the wrong password.
      password.focus()
      password.select()
    }
    return { notice: t(signInErrorKey(code)), isNextStep: code === 'PasskeyRequired' }
  }

  async function usePasskey(): Promise<void> {
    if (isBusy) return
    setBusy(true)
    showNotice(passkeyGroup, undefined)
    const code = await signInWithPasskey()
    if (code === null) await loadPage(next)
    else showNotice(passkeyGroup, t(signInErrorKey(code)), code !== 'PasskeyCanceled')
    setBusy(false)
  }

  function setBusy(busy: boolean): void {
    isBusy = busy
    for (const name of ['aria-busy', 'aria-disabled'])
      if (busy) passkeyButton.setAttribute(name, 'true')
      else passkeyButton.removeAttribute(name)
  }

  function toggleCode(): void {
    if (codeField) {
      codeField.remove()
      codeField = undefined
    } else {
      credentials.insertAdjacentHTML('afterend', recoveryCodeField(t).html)
      codeField = credentials.nextElementSibling as HTMLElement
    }
    // Accounts that were created with a provider have no password.
    password.required = !codeField
    password.dataset.hint = codeField ? t('passkeys.passwordHint') : ''
    describe(password, undefined)
    showNotice(passkeyGroup, undefined)
    showNotice(form, codeField ? undefined : t('signIn.passkeyRequired'), false)
    draw()
    if (!codeField) focusNextStep()
    else form.querySelector<HTMLElement>(`[name=${credentials.hidden ? 'recoveryCode' : 'email'}]`)!.focus()
  }

  enhanceForm(form, t, submit)
  passkeyButton.onclick = () => void usePasskey()
  recoveryButton.onclick = toggleCode
  draw()
  if (needsPasskey && location.hash === '#code') toggleCode()
  else if (needsPasskey) focusNextStep()
  return offerPasskeys((code) => {
    if (code === null) void loadPage(next)
  })
}
