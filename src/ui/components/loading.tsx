import { useEffect } from 'react'
import { useAnnouncer } from '../context/announcer.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'

/** Replaces content that is being fetched, and announces it to screen readers. */
export function Loading() {
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  useEffect(() => announce(t('common.loading')), [announce, t])
  return <p className="px-4 py-10 text-center text-sm text-ink-soft sm:px-5">{t('common.loading')}</p>
}
