'use client'

import clsx from 'clsx'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { AppLink } from '../layout/app-link.tsx'

const ITEMS: { href: string; label: PlainMessageKey }[] = [
  { href: '/messages', label: 'messages.inbox' },
  { href: '/messages/sent', label: 'messages.sent' },
  { href: '/messages/new', label: 'compose.title' },
]

/** Heading and navigation of the three pages of messages: sent to you, sent by you, a new one. */
export function MessagesLayout({ children }: { children: ReactNode }) {
  const path = usePathname()
  const { t } = useWords()
  return (
    <div className={clsx('mx-auto space-y-6', path === '/messages/new' ? 'max-w-5xl' : 'max-w-3xl')}>
      <div>
        <h1 className="text-2xl font-semibold tracking-tight">{t('messages.title')}</h1>
        <nav
          aria-label={t('messages.title')}
          className="mt-3 flex gap-1 overflow-x-auto border-b border-line print:hidden"
        >
          {ITEMS.map(({ href, label }) => (
            <AppLink
              key={href}
              href={href}
              aria-current={path === href ? 'page' : undefined}
              className={clsx(
                'relative -mb-px flex min-h-11 shrink-0 items-center border-b-2 px-2 sm:px-3 text-sm font-medium -outline-offset-2 transition-colors',
                path === href
                  ? 'border-accent text-ink'
                  : 'border-transparent text-ink-soft hover:text-ink forced-colors:border-[Canvas]',
              )}
            >
              {t(label)}
            </AppLink>
          ))}
        </nav>
      </div>
      {children}
    </div>
  )
}
