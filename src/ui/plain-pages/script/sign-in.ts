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
 * Signs in with the password, a recovery code or a passkey, and then opens `next`. Returns a function that stops
 * offering passkeys in the email field.
 */
export function signIn(form: HTMLFormElement, t: Translator, { next, error }: PageData): () => void {
  const passkeys = document.querySelector<HTMLElement>('[data-passkeys]')!
  const passkeyButton = passkeys.querySelector<HTMLButtonElement>('[data-passkey]')!
  const passkeyGroup = passkeyButton.parentElement!
  const recoveryButton = document.querySelector<HTMLButtonElement>('[data-recovery]')!
  const submitButton = form.querySelector<HTMLButtonElement>('[type=submit]')!
  const password = form.querySelector<HTMLInputElement>('[name=password]')!
  let needsPasskey = error === 'PasskeyRequired'
  let codeField: HTMLElement | undefined
  let isBusy = false

  function draw(): void {
    const isPasskeyNext = needsPasskey && !codeField
    passkeyButton.className = signInButtonClass(isPasskeyNext)
    submitButton.className = signInButtonClass(!isPasskeyNext)
    recoveryButton.hidden = !needsPasskey && !codeField
    recoveryButton.textContent = t(codeField ? 'passkeys.withoutCode' : 'passkeys.useCode')
  }

  async function submit(values: FormData): Promise<Rejection> {
    const email = String(values.get('email'))
    const typed = String(values.get('password'))
    const code = codeField
      ? await signInWithRecoveryCode(email, typed, String(values.get('recoveryCode')))
      : await signInWithPassword(email, typed)
    if (code === null) return loadPage(next)
    if (code === 'PasskeyRequired') {
      needsPasskey = true
      draw()
      // The next step after the password.
      passkeyButton.focus()
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
    else showNotice(passkeyGroup, t(signInErrorKey(code)))
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
      password.parentElement!.parentElement!.insertAdjacentHTML('afterend', recoveryCodeField(t).html)
      const input = form.querySelector<HTMLInputElement>('[name=recoveryCode]')!
      codeField = input.parentElement!.parentElement!
      input.focus()
    }
    // Accounts that were created with a provider have no password.
    password.required = !codeField
    password.dataset.hint = codeField ? t('passkeys.passwordHint') : ''
    describe(password, undefined)
    draw()
  }

  enhanceForm(form, t, submit)
  passkeyButton.onclick = () => void usePasskey()
  recoveryButton.onclick = toggleCode
  if (!('PublicKeyCredential' in window)) passkeys.hidden = true
  else if (needsPasskey) passkeyButton.focus()
  return offerPasskeys((code) => {
    if (code === null) void loadPage(next)
  })
}
