'use client'

import { useEffect } from 'react'
import { useTell } from '../context/announcer.tsx'
import { useWords } from '../i18n/messages-provider.tsx'

/** In place of what is being fetched; screen readers are told. */
export function Loading() {
  const { t } = useWords()
  const { announce } = useTell()
  useEffect(() => announce(t('common.loading')), [announce, t])
  return <p className="px-4 py-10 text-center text-sm text-ink-soft sm:px-5">{t('common.loading')}</p>
}
