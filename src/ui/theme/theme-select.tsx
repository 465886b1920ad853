'use client'

import { useState, useSyncExternalStore } from 'react'
import { ChoiceSelect } from '../components/choice-select.tsx'
import { rememberChoice } from '../components/remember-choice.ts'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { THEME_COOKIE, THEMES, type Theme, themeOf } from './themes.ts'

const LABELS: Record<Theme, PlainMessageKey> = {
  system: 'layout.themeSystem',
  light: 'layout.themeLight',
  dark: 'layout.themeDark',
}

const subscribeToNothing = () => () => {}

export function ThemeSelect({ compact }: { compact?: boolean }) {
  const { t } = useWords()
  const [theme, setTheme] = useState<Theme>()
  // The server wrote it into the page.
  const initial = useSyncExternalStore<Theme>(subscribeToNothing, documentTheme, () => 'system')
  return (
    <ChoiceSelect
      compact={compact}
      label={t('layout.theme')}
      value={theme ?? initial}
      options={THEMES.map((one) => ({ value: one, label: t(LABELS[one]) }))}
      onChange={(chosen) => {
        document.documentElement.dataset.theme = chosen
        rememberChoice(THEME_COOKIE, chosen)
        setTheme(chosen)
      }}
    />
  )
}

function documentTheme(): Theme {
  return themeOf(document.documentElement.dataset.theme)
}
