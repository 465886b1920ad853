import { rememberChoice } from '../../components/remember-choice.ts'
import { browserTimeZone, TIME_ZONE_COOKIE } from '../../i18n/time-zone.ts'
import { createTranslator } from '../../i18n/translator.ts'
import { THEME_COOKIE } from '../../theme/themes.ts'
import type { PageData } from '../page-data.ts'
import { enhanceForm } from './form.ts'
import { signIn } from './sign-in.ts'
import { signInElsewhere } from './sign-in-elsewhere.ts'
import { signUp } from './sign-up.ts'

// The script of the pages that Next does not render. They work without it: `npm run generate` bundles it.

let stop: () => void = () => {}

function start(): void {
  stop()
  stop = () => {}
  for (const select of document.querySelectorAll<HTMLSelectElement>('select[data-cookie]'))
    select.onchange = () => choose(select.dataset.cookie!, select.value)
  const json = document.getElementById('page-data')?.textContent
  const form = document.querySelector<HTMLFormElement>('form[data-form]')
  if (!json || !form) return
  const data = JSON.parse(json) as PageData
  const t = createTranslator(data.formatLocale, data.messages)
  if (form.dataset.form === 'sign-up') enhanceForm(form, t, signUp(t))
  else if (form.dataset.form === 'leave-account') enhanceForm(form, t, signInElsewhere(t, data))
  else stop = signIn(form, t, data)
}

/** Applies a language or a theme, and stores it for the server. */
function choose(cookie: string, value: string): void {
  rememberChoice(cookie, value)
  if (cookie === THEME_COOKIE) document.documentElement.dataset.theme = value
  else void translate(cookie)
}

/** Replaces the page by the same one in the chosen language. Its fields keep their values. */
async function translate(cookie: string): Promise<void> {
  let page: Document
  try {
    page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), 'text/html')
  } catch {
    // Without a network, the language changes with the next page.
    return
  }
  const main = page.querySelector('main')
  if (!main) return location.reload()
  for (const field of document.querySelectorAll<HTMLInputElement>('main input:not([type=hidden])')) {
    const same = main.querySelector<HTMLInputElement>(`input[name="${field.name}"]`)
    if (same) same.value = field.value
  }
  document.documentElement.lang = page.documentElement.lang
  document.title = page.title
  const data = page.getElementById('page-data')
  if (data) document.getElementById('page-data')?.replaceChildren(data.textContent)
  document.querySelector('main')?.replaceWith(main)
  main.querySelector<HTMLElement>(`[data-cookie="${cookie}"]`)?.focus()
  start()
}

start()
const cookieOf = (name: string) => document.cookie.split('; ').find((one) => one.startsWith(`${name}=`))
if (cookieOf(TIME_ZONE_COOKIE) !== `${TIME_ZONE_COOKIE}=${browserTimeZone()}`)
  rememberChoice(TIME_ZONE_COOKIE, browserTimeZone())
