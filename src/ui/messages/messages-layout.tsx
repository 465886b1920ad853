'use client'

import { Settings } from 'lucide-react'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { buttonClass } from '../components/button-class.ts'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AppLink } from '../layout/app-link.tsx'
import { SectionNav } from '../layout/section-nav.tsx'

const COMPOSE = '/messages/new'
const INBOX = '/messages'
const ITEMS: { href: string; label: PlainMessageKey }[] = [
  { href: INBOX, label: 'messages.inbox' },
  { href: '/messages/sent', label: 'messages.sent' },
]

/** Heading, navigation and main actions of the inbox and Sent. A new message has its own heading. */
export function MessagesLayout({ children }: { children: ReactNode }) {
  const { t } = useMessages()
  const path = usePathname()
  if (path === COMPOSE) return children
  return (
    <div className="space-y-6">
      <div className="space-y-3">
        <div className="flex min-h-11 flex-wrap items-center gap-x-1 gap-y-2 sm:gap-x-2">
          <h1 className="text-xl font-semibold tracking-tight sm:text-2xl sm:mr-auto">
            {t('messages.title')}
          </h1>
          {path === INBOX && (
            <AppLink
              href="/settings/notifications"
              title={t('messages.notificationSettings')}
              className={buttonClass(
                'ghost',
                'relative max-sm:-mx-1 max-sm:forced-colors:mx-1 max-sm:min-h-11 max-sm:px-3',
              )}
            >
              <Settings aria-hidden="true" className="size-4" />
              <span className="max-sm:sr-only">{t('messages.notificationSettings')}</span>
            </AppLink>
          )}
          <AppLink
            href={COMPOSE}
            className={buttonClass(
              'primary',
              'relative max-sm:ml-auto max-[22.5rem]:w-full [body:has([data-new-message])_&]:hidden',
            )}
          >
            {t('compose.title')}
          </AppLink>
        </div>
        <SectionNav label={t('messages.title')} items={ITEMS} exact />
      </div>
      {children}
    </div>
  )
}
