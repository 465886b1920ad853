import { LOCALE_COOKIE, LOCALE_NAMES, LOCALES } from '../i18n/locales.ts'
import { BACKGROUND, THEME_COOKIE, THEME_LABELS, THEMES } from '../theme/themes.ts'
import { attributes, type Html, html } from './html.ts'
import type { PageContext } from './page-context.ts'
import type { PageData } from './page-data.ts'
import { icon } from './parts.ts'

type CenteredPageProps = {
  title: string
  /** Small text below the title. */
  intro?: Html | string
  main?: Html
  footer?: Html
  /** Icon above the title. */
  sign?: Html
  /** Picture of the file that the title names. The card is then as wide as the page allows. */
  picture?: Html
  /** For the script, which needs nothing for the choice of language and theme. */
  data?: PageData
  /** Absolute URL of the site, for the picture of links to it. Undefined for a page that loads no script and is not linked. */
  siteUrl: string | undefined
}

/**
 * Returns a complete page with a narrow card in the middle. It looks like CenteredLayout, but needs neither React nor a
 * script: the classes are Tailwind's, and `npm run generate` writes their style and the script to `public`.
 */
export function centeredPage(context: PageContext, props: CenteredPageProps): string {
  const { locale, theme, nonce } = context
  const { title, intro, main, sign, picture, footer, data, siteUrl } = props
  const heading = html`<h1 dir="auto" class="${intro ? 'mb-2' : 'mb-6'} text-xl font-semibold wrap-anywhere">${title}</h1>${intro && html`<p class="mb-6 text-sm text-ink-soft last:mb-0">${intro}</p>`}`
  const document = html`<!DOCTYPE html><html${attributes({ lang: locale, 'data-theme': theme })}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">${themeColors(theme)}<title>${title} · Pigeonhole</title><link rel="stylesheet" href="/plain-pages.css"><meta name="robots" content="noindex"><link rel="icon" href="/icon.svg">${siteUrl !== undefined && siteHead(context, siteUrl)}${data && dataScript(data, nonce)}${siteUrl !== undefined && html`<script${attributes({ src: '/plain-pages.js', defer: true, nonce })}></script>`}</head><body><main class="flex min-h-dvh flex-col items-center px-4 py-10 ${siteUrl === undefined ? 'justify-center pb-24' : 'sm:justify-center sm:pb-24'}"><div class="w-full ${picture ? 'max-w-3xl' : 'max-w-sm'}"><div class="mb-8 flex justify-center">${logo()}</div><div class="rounded-xl border border-line bg-surface p-6 shadow-card sm:p-8">${picture}${sign && html`<div class="mb-4 flex size-12 items-center justify-center rounded-full bg-sunken text-ink-soft">${sign}</div>`}${heading}${main}</div>${footer && html`<p class="mt-6 text-center text-sm text-ink-soft">${footer}</p>`}${siteUrl !== undefined && html`<div class="needs-script mt-8 flex flex-wrap justify-center gap-x-5 text-sm text-ink-soft">${preferences(context)}</div>`}</div></main></body></html>`
  return document.html
}

/** Describes the site to browsers that install it, and to apps that show a picture of a link. */
function siteHead({ locale, t }: PageContext, siteUrl: string): Html {
  const description = t('site.description')
  return html`<meta name="description" content="${description}"><meta name="application-name" content="Pigeonhole"><link rel="manifest" href="/manifest.webmanifest"><link rel="apple-touch-icon" href="/apple-touch-icon.png"><meta property="og:title" content="Pigeonhole"><meta property="og:description" content="${description}"><meta property="og:site_name" content="Pigeonhole"><meta property="og:locale" content="${locale}"><meta property="og:type" content="website"><meta property="og:url" content="${siteUrl}"><meta name="twitter:card" content="summary">`
}

/** Browsers run no script of this type, and JSON needs no other escape. */
function dataScript(data: PageData, nonce: string | undefined): Html {
  const json = { html: JSON.stringify(data).replaceAll('<', '\\u003c') }
  return html`<script${attributes({ type: 'application/json', id: 'page-data', nonce })}>${json}</script>`
}

function themeColors(theme: PageContext['theme']): Html[] {
  if (theme !== 'system') return [html`<meta name="theme-color" content="${BACKGROUND[theme]}">`]
  return (['light', 'dark'] as const).map(
    (scheme) =>
      html`<meta name="theme-color" media="(prefers-color-scheme: ${scheme})" content="${BACKGROUND[scheme]}">`,
  )
}

/** Nine pigeonholes, one of them occupied. */
function logo(): Html {
  const cells = [2, 9, 16].flatMap((y) => [2, 9, 16].map((x) => ({ x, y })))
  const mark = cells.map(
    ({ x, y }) =>
      html`<rect x="${x}" y="${y}" width="6" height="6" rx="1.5" class="${x === 16 && y === 2 ? 'fill-accent' : 'fill-accent-faint'}"/>`,
  )
  return html`<span class="flex items-center gap-2.5 text-lg font-semibold tracking-tight"><svg viewBox="0 0 24 24" aria-hidden="true" focusable="false" class="size-7">${mark}</svg>Pigeonhole</span>`
}

/** Selects of the language and the theme, whose choice the script stores in the cookie that the select names. */
function preferences({ t, locale, theme }: PageContext): Html[] {
  const languages = LOCALES.map((one) => ({ value: one, label: LOCALE_NAMES[one], lang: one }))
  const themes = THEMES.map((one) => ({ value: one, label: t(THEME_LABELS[one]), lang: undefined }))
  return [
    select(icon('languages', 'size-4'), LOCALE_COOKIE, t('layout.language'), locale, languages),
    select(icon('sunMoon', 'size-4'), THEME_COOKIE, t('layout.theme'), theme, themes),
  ]
}

type Option = { value: string; label: string; lang: string | undefined }

function select(sign: Html, cookie: string, label: string, value: string, options: Option[]): Html {
  const items = options.map(
    (one) =>
      html`<option${attributes({ value: one.value, lang: one.lang, selected: one.value === value })}>${one.label}</option>`,
  )
  return html`<label class="flex min-h-11 items-center gap-1">${sign}<span class="sr-only">${label}</span><select data-cookie="${cookie}" autocomplete="off" class="min-h-11 min-w-0 rounded-lg border border-transparent bg-ground px-1 text-sm hover:text-ink">${items}</select></label>`
}
