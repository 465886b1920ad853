import { fieldProblems } from '../../components/field-problems.ts'
import type { Translator } from '../../i18n/translator.ts'
import { description, descriptionId, notice } from '../parts.ts'

/** Why a form was rejected: a message above the fields, messages beside them, or neither if the page is left. */
export type Rejection = {
  notice?: string
  /** True if the notice is the next step, not an error. */
  isNextStep?: boolean
  fields?: Record<string, string>
}

/**
 * Sends a form with `submit` instead of leaving the page. Invalid fields say why in the page's language, and the first
 * one gets the focus. The button is busy while `submit` runs.
 */
export function enhanceForm(
  form: HTMLFormElement,
  t: Translator,
  submit: (fields: FormData) => Promise<Rejection>,
): void {
  const button = form.querySelector<HTMLButtonElement>('[type=submit]')!
  const label = button.textContent
  let isBusy = false

  function setBusy(busy: boolean): void {
    isBusy = busy
    button.textContent = busy ? button.dataset.busy! : label
    for (const name of ['aria-busy', 'aria-disabled'])
      if (busy) button.setAttribute(name, 'true')
      else button.removeAttribute(name)
  }

  async function send(): Promise<void> {
    showNotice(form, undefined)
    let fields = Object.fromEntries(
      Object.entries(fieldProblems(form)).map(([name, problem]) => [name, t(problem)]),
    )
    showErrors(form, fields)
    if (Object.keys(fields).length === 0) {
      const values = new FormData(form)
      hidePasswords(form, t)
      setBusy(true)
      const rejection = await submit(values)
      setBusy(false)
      showNotice(form, rejection.notice, !rejection.isNextStep)
      fields = rejection.fields ?? {}
      showErrors(form, fields)
    }
    form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }

  form.noValidate = true
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (!isBusy) void send()
  })
  form.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLInputElement && target.ariaInvalid) describe(target, undefined)
  })
  form.addEventListener('click', ({ target }) => {
    const toggle = target instanceof Element && target.closest<HTMLElement>('[data-show-password]')
    if (toggle) showPassword(toggle, t, inputOf(toggle).type === 'password')
  })
}

/** Shows or hides the notice above the fields. */
export function showNotice(container: Element, text: string | undefined, isError = true): void {
  container.querySelector(':scope > [role=alert]')?.remove()
  if (text !== undefined) container.insertAdjacentHTML('afterbegin', notice(text, isError).html)
}

function showErrors(form: HTMLFormElement, errors: Record<string, string>): void {
  for (const input of form.querySelectorAll<HTMLInputElement>('input:not([type=hidden])'))
    describe(input, errors[input.name])
}

/** Shows an error below a field, otherwise its hint. */
export function describe(input: HTMLInputElement, error: string | undefined): void {
  const { name } = input
  const { hint } = input.dataset
  document.getElementById(descriptionId(name))?.remove()
  if (error !== undefined) input.setAttribute('aria-invalid', 'true')
  else input.removeAttribute('aria-invalid')
  if (error === undefined && !hint) {
    input.removeAttribute('aria-describedby')
    return
  }
  input.parentElement!.insertAdjacentHTML('afterend', description(name, { error, hint }).html)
  input.setAttribute('aria-describedby', descriptionId(name))
}

/** Otherwise, browsers would offer the password among the values of text fields. */
function hidePasswords(form: HTMLFormElement, t: Translator): void {
  for (const toggle of form.querySelectorAll<HTMLElement>('[data-show-password]'))
    showPassword(toggle, t, false)
}

function showPassword(toggle: HTMLElement, t: Translator, isShown: boolean): void {
  inputOf(toggle).type = isShown ? 'text' : 'password'
  toggle.firstElementChild!.textContent = t(isShown ? 'common.hide' : 'common.show')
}

const inputOf = (toggle: HTMLElement) => toggle.previousElementSibling as HTMLInputElement
