'use client'

import { Languages } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { ChoiceSelect } from '../components/choice-select.tsx'
import { rememberChoice } from '../components/remember-choice.ts'
import { LOCALE_COOKIE, LOCALE_NAMES, LOCALES } from './locales.ts'
import { useMessages } from './messages-provider.tsx'

/** Changes the language without reloading the page, so uploads continue and forms keep their input. */
export function LanguageSelect({ compact }: { compact?: boolean }) {
  const { locale, t } = useMessages()
  const router = useRouter()
  return (
    <ChoiceSelect
      compact={compact}
      icon={compact ? Languages : undefined}
      label={t('layout.language')}
      value={locale}
      options={LOCALES.map((one) => ({ value: one, label: LOCALE_NAMES[one], lang: one }))}
      onChange={(chosen) => {
        rememberChoice(LOCALE_COOKIE, chosen)
        router.refresh()
      }}
    />
  )
}
