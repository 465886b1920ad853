import { useEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { buttonClass } from '../../components/button-class.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'

/** Replaces the send button once a message is sent, so that it cannot be sent twice. Its link takes the focus. */
export function SentActions({ onNew }: { onNew(): void }) {
  const { t } = useMessages()
  const group = useRef<HTMLDivElement>(null)
  useEffect(() => group.current?.querySelector('a')?.focus({ preventScroll: true }), [])
  return (
    <div ref={group} className="flex min-w-0 flex-wrap items-center gap-2">
      <AppLink href="/messages/sent" className={buttonClass('primary', 'relative')}>
        {t('compose.openSent')}
      </AppLink>
      <Button onClick={onNew}>{t('compose.another')}</Button>
    </div>
  )
}
