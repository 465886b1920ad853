import type { ReactNode } from 'react'
import { LanguageSelect } from '../i18n/language-select.tsx'
import { ThemeSelect } from '../theme/theme-select.tsx'

/** Language and appearance. */
export function PreferenceSelects({ compact }: { compact?: boolean }): ReactNode {
  return (
    <>
      <LanguageSelect compact={compact} />
      <ThemeSelect compact={compact} />
    </>
  )
}
