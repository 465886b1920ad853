'use client'

import type { ReactNode } from 'react'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { SectionNav } from '../layout/section-nav.tsx'

const ITEMS: { href: string; label: PlainMessageKey }[] = [
  { href: '/messages', label: 'messages.inbox' },
  { href: '/messages/sent', label: 'messages.sent' },
  { href: '/messages/new', label: 'compose.title' },
]

/** Heading and navigation of the pages of messages: inbox, sent and new. */
export function MessagesLayout({ children }: { children: ReactNode }) {
  const { t } = useMessages()
  return (
    <div className="space-y-6">
      <div className="space-y-3">
        <h1 className="text-2xl font-semibold tracking-tight">{t('messages.title')}</h1>
        <SectionNav label={t('messages.title')} items={ITEMS} />
      </div>
      {children}
    </div>
  )
}
