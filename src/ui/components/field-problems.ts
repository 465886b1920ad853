import type { PlainMessageKey } from '../i18n/message-types.ts'

const MISSING: Record<string, PlainMessageKey> = {
  email: 'fields.emailMissing',
  password: 'fields.passwordMissing',
  current: 'account.passwordMissing',
  recoveryCode: 'fields.codeMissing',
}

const INVALID: Record<string, PlainMessageKey> = {
  data: 'admin.files.dataInvalid',
  days: 'apiKeys.daysHint',
  from: 'admin.dateInvalid',
  to: 'admin.dateInvalid',
  url: 'admin.webhooks.urlInvalid',
}

/** Returns the problems of a form's inputs by name. Browsers would show them one by one, in their own language. */
export function fieldProblems(form: HTMLFormElement): Record<string, PlainMessageKey> {
  const problems: Record<string, PlainMessageKey> = {}
  for (const input of form.querySelectorAll('input')) {
    const { name, validity } = input
    // Only new passwords have a minimum length. The error replaces the hint that names it.
    if (validity.valueMissing && input.minLength > 0) problems[name] = 'signUp.passwordMissing'
    else if (validity.valueMissing) problems[name] = MISSING[name] ?? 'fields.missing'
    else if (validity.typeMismatch) problems[name] = INVALID[name] ?? 'signUp.emailInvalid'
    else if (validity.tooShort) problems[name] = 'signUp.passwordInvalid'
    else if (!validity.valid) problems[name] = INVALID[name] ?? 'fields.numberInvalid'
  }
  return problems
}
