export const THEMES = ['system', 'light', 'dark'] as const

export type Theme = (typeof THEMES)[number]

/** The theme that the user chose on this browser. */
export const THEME_COOKIE = 'pigeonhole-theme'

/** The page's background, as in globals.css: browsers colour their own bars with it. */
export const GROUND = { light: '#f7f7f5', dark: '#131413' } as const

export function themeOf(cookie: string | undefined): Theme {
  return THEMES.find((theme) => theme === cookie) ?? 'system'
}
