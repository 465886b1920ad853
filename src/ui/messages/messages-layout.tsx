'use client'

import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { buttonClass } from '../components/button-class.ts'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AppLink } from '../layout/app-link.tsx'
import { BackLink } from '../layout/back-link.tsx'
import { SectionNav } from '../layout/section-nav.tsx'

const COMPOSE = '/messages/new'
const ITEMS: { href: string; label: PlainMessageKey }[] = [
  { href: '/messages', label: 'messages.inbox' },
  { href: '/messages/sent', label: 'messages.sent' },
]

/** Heading, navigation and main action of the pages of messages: inbox, sent and new. */
export function MessagesLayout({ children }: { children: ReactNode }) {
  const { t } = useMessages()
  const isNew = usePathname() === COMPOSE
  if (isNew)
    return (
      <div className="space-y-4">
        <div>
          <BackLink href="/messages">{t('messages.inbox')}</BackLink>
          <h1 className="mt-1 text-2xl font-semibold tracking-tight">{t('compose.title')}</h1>
        </div>
        {children}
      </div>
    )
  return (
    <div className="space-y-6">
      <div className="space-y-3">
        <div className="flex min-h-10 flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <h1 className="text-2xl font-semibold tracking-tight">{t('messages.title')}</h1>
          <AppLink href={COMPOSE} className={buttonClass('primary', 'relative')}>
            {t('compose.title')}
          </AppLink>
        </div>
        <SectionNav label={t('messages.title')} items={ITEMS} exact />
      </div>
      {children}
    </div>
  )
}
