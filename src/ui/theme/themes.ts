import type { PlainMessageKey } from '../i18n/message-types.ts'

export const THEMES = ['system', 'light', 'dark'] as const

export type Theme = (typeof THEMES)[number]

/** Names of the themes. */
export const THEME_LABELS: Record<Theme, PlainMessageKey> = {
  system: 'layout.themeSystem',
  light: 'layout.themeLight',
  dark: 'layout.themeDark',
}

/** Cookie with the theme chosen in this browser. */
export const THEME_COOKIE = 'pigeonhole-theme'

/** The page's background colors, as in globals.css. Browsers use them for their own bars. */
export const BACKGROUND = { light: '#f7f7f5', dark: '#131413' } as const

export function themeOf(cookie: string | undefined): Theme {
  return THEMES.find((theme) => theme === cookie) ?? 'system'
}
