import type { Translator } from '../i18n/translator.ts'
import { attributes, type Html, html } from './html.ts'

// HTML of the components of the same names in src/ui/components. The server and the pages' script use it.

const ICON =
  'xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"'

/** The same icons as in `lucide-react`, which needs React. */
const ICONS = {
  alert: html`<circle cx="12" cy="12" r="10"/><line x1="12" x2="12" y1="8" y2="12"/><line x1="12" x2="12.01" y1="16" y2="16"/>`,
  info: html`<circle cx="12" cy="12" r="10"/><path d="M12 16v-4"/><path d="M12 8h.01"/>`,
  languages: html`<path d="m5 8 6 6"/><path d="m4 14 6-6 2-3"/><path d="M2 5h12"/><path d="M7 2h1"/><path d="m22 22-5-10-5 10"/><path d="M14 18h6"/>`,
  sunMoon: html`<path d="M12 2v2"/><path d="M14.837 16.385a6 6 0 1 1-7.223-7.222c.624-.147.97.66.715 1.248a4 4 0 0 0 5.26 5.259c.589-.255 1.396.09 1.248.715"/><path d="M16 12a4 4 0 0 0-4-4"/><path d="m19 5-1.256 1.256"/><path d="M20 12h2"/>`,
  key: html`<path d="M2.586 17.414A2 2 0 0 0 2 18.828V21a1 1 0 0 0 1 1h3a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h1a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h.172a2 2 0 0 0 1.414-.586l.814-.814a6.5 6.5 0 1 0-4-4z"/><circle cx="16.5" cy="7.5" r=".5" fill="currentColor"/>`,
}

export function icon(name: keyof typeof ICONS, className: string): Html {
  return svg(ICONS[name], className)
}

/** Returns an icon with these shapes, for pages without a script: `ICONS` is part of the script of the other pages. */
export function svg(shapes: Html, className: string): Html {
  return html`<svg ${{ html: ICON }} class="${className}">${shapes}</svg>`
}

/** An error above the fields, or without `isError` the next step. Screen readers announce it at once. */
export function notice(text: string, isError = true): Html {
  return html`<div role="alert" class="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg px-3.5 py-2.5 text-sm forced-colors:border ${isError ? 'bg-danger-soft text-danger' : 'bg-accent-soft text-ink'}"><div class="flex min-w-0 flex-1 basis-40 gap-3">${icon(isError ? 'alert' : 'info', 'mt-0.5 size-4 shrink-0')}<div class="min-w-0 flex-1">${text}</div></div></div>`
}

export type FieldOptions = {
  label: string
  name: string
  hint?: string
  error?: string
  /** Shown at the end of the input. */
  end?: Html
  /** Shown at the end of the label's line, and reached after the input with the keyboard. */
  corner?: Html
  /** Attributes of the input. */
  input: Record<string, string | number | boolean | undefined>
}

/** A labeled input. Screen readers also announce its hint or error. Its ID is its name. */
export function textField({ label, name, hint, error, end, corner, input }: FieldOptions): Html {
  const own = {
    id: name,
    name,
    class: fieldClass(end !== undefined),
    'aria-describedby': error || hint ? descriptionId(name) : undefined,
    'aria-invalid': error ? 'true' : undefined,
    // The script shows it again when it removes an error.
    'data-hint': hint,
  }
  return html`<div class="relative"><label for="${name}" class="mb-1.5 block text-sm font-medium">${label}</label><div class="relative"><input${attributes({ ...own, ...input })}>${end}</div>${(error || hint) && description(name, { error, hint })}${corner}</div>`
}

const fieldClass = (hasEnd: boolean) =>
  `min-h-11 w-full rounded-lg border border-line-strong bg-surface px-3 text-base text-ink placeholder:text-ink-soft focus-visible:outline-offset-0 aria-invalid:border-danger aria-invalid:outline-danger disabled:bg-sunken disabled:text-ink-soft${hasEnd ? ' pr-24' : ''}`

export const descriptionId = (name: string) => `${name}-description`

/** Hint or error of a field. */
export function description(name: string, { error, hint }: { error?: string; hint?: string }): Html {
  return html`<p${attributes({ id: descriptionId(name), role: error ? 'alert' : undefined })} class="mt-1.5 text-sm ${error ? 'flex gap-1.5 text-danger' : 'text-ink-soft'}">${error && icon('alert', 'mt-0.5 size-4 shrink-0')}${error ?? hint}</p>`
}

/** Field for the email that a user signs in with. */
export function emailField(t: Translator, options: Partial<FieldOptions> = {}): Html {
  const input = { type: 'email', autocomplete: 'username', required: true, maxlength: 254, ...options.input }
  return textField({ label: t('common.email'), name: 'email', ...options, input })
}

/** Field for a password. A button, which needs the script, shows what was typed until the form is sent. */
export function passwordField(t: Translator, options: Partial<FieldOptions> = {}): Html {
  const input = {
    type: 'password',
    autocomplete: 'current-password',
    autocapitalize: 'none',
    spellcheck: 'false',
    required: true,
    maxlength: 1024,
    ...options.input,
  }
  const label = t('common.password')
  const end = html`<button type="button" data-show-password class="needs-script absolute inset-y-1 right-1 rounded-md px-2.5 pointer-coarse:inset-y-0 text-sm text-accent hover:bg-sunken"><span>${t('common.show')}</span><span class="sr-only"> ${label}</span></button>`
  return textField({ label, name: 'password', end, ...options, input })
}

/** Field for a new password. */
export function newPasswordField(t: Translator, options: Partial<FieldOptions> = {}): Html {
  const input = { autocomplete: 'new-password', minlength: 12, maxlength: 128, ...options.input }
  return passwordField(t, { hint: t('signUp.passwordHint'), ...options, input })
}

/** Field for the recovery code that replaces a lost passkey. */
export function recoveryCodeField(t: Translator): Html {
  const input = {
    type: 'text',
    required: true,
    maxlength: 64,
    autocomplete: 'off',
    autocapitalize: 'characters',
    spellcheck: 'false',
  }
  return textField({ label: t('passkeys.code'), name: 'recoveryCode', hint: t('passkeys.codeHint'), input })
}

export function textLink(href: string, text: string): Html {
  return html`<a href="${href}" class="font-medium text-accent underline underline-offset-2">${text}</a>`
}
