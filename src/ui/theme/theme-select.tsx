'use client'

import { SunMoon } from 'lucide-react'
import { useState } from 'react'
import { ChoiceSelect } from '../components/choice-select.tsx'
import { rememberChoice } from '../components/remember-choice.ts'
import { useBrowserValue } from '../components/use-browser-value.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { THEME_COOKIE, THEME_LABELS, THEMES, type Theme, themeOf } from './themes.ts'

export function ThemeSelect({ compact }: { compact?: boolean }) {
  const { t } = useMessages()
  const [theme, setTheme] = useState<Theme>()
  // The server sets it on the document element.
  const initial = useBrowserValue<Theme>(documentTheme, () => 'system')
  return (
    <ChoiceSelect
      compact={compact}
      icon={compact ? SunMoon : undefined}
      label={t('layout.theme')}
      value={theme ?? initial}
      options={THEMES.map((one) => ({ value: one, label: t(THEME_LABELS[one]) }))}
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
