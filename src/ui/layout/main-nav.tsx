'use client'

import clsx from 'clsx'
import { BellRing, Files, type LucideIcon, Settings } from 'lucide-react'
import { usePathname } from 'next/navigation'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { AppLink } from './app-link.tsx'
import { UnreadCount } from './unread-count.tsx'

const ITEMS: { href: string; label: PlainMessageKey; icon: LucideIcon }[] = [
  { href: '/', label: 'layout.files', icon: Files },
  { href: '/messages', label: 'layout.messages', icon: BellRing },
  { href: '/settings', label: 'layout.settings', icon: Settings },
]

export function MainNav({ className }: { className: string }) {
  const path = usePathname()
  const { t } = useWords()
  const isHere = (href: string) => path === href || (href !== '/' && path.startsWith(`${href}/`))
  return (
    <nav aria-label={t('layout.navigation')} className={clsx('gap-1', className)}>
      {ITEMS.map(({ href, label, icon: Icon }) => (
        <AppLink
          key={href}
          href={href}
          aria-current={isHere(href) ? 'page' : undefined}
          className={clsx(
            'relative flex flex-1 flex-col items-center justify-center gap-0.5 px-3 py-2 text-xs font-medium transition-colors max-sm:-mt-px max-sm:border-t-2 sm:flex-none sm:flex-row sm:gap-2 sm:border-b-2 sm:py-0 sm:pt-0.5 sm:text-sm',
            isHere(href)
              ? 'border-accent text-accent sm:text-ink'
              : 'border-transparent text-ink-soft hover:text-ink forced-colors:border-[Canvas]',
          )}
        >
          <Icon aria-hidden="true" className="size-5 sm:size-4" />
          {t(label)}
          {href === '/messages' && <UnreadCount />}
        </AppLink>
      ))}
    </nav>
  )
}
