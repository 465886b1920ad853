'use client'

import clsx from 'clsx'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { AppLink } from '../layout/app-link.tsx'

const PAGES: { href: string; label: PlainMessageKey }[] = [
  { href: '/admin/users', label: 'admin.users.title' },
  { href: '/admin/push-tokens', label: 'admin.pushTokens.title' },
  { href: '/admin/broadcasts', label: 'admin.broadcasts.title' },
  { href: '/admin/webhooks', label: 'admin.webhooks.title' },
  { href: '/admin/health', label: 'admin.health.title' },
  { href: '/admin/audit', label: 'admin.audit.title' },
]

/** The pages for administrators, with links between them. */
export function AdminLayout({ children }: { children: ReactNode }) {
  const path = usePathname()
  const { t } = useWords()
  return (
    <>
      <nav aria-label={t('admin.navigation')} className="mb-6 flex flex-wrap gap-1 print:hidden">
        {PAGES.map(({ href, label }) => {
          const current = path === href || path.startsWith(`${href}/`)
          return (
            <AppLink
              key={href}
              href={href}
              aria-current={current ? 'page' : undefined}
              className={clsx(
                'relative flex min-h-10 items-center rounded-lg px-3 text-sm font-medium pointer-coarse:min-h-11',
                current
                  ? 'bg-accent-soft text-accent forced-colors:border'
                  : 'text-ink-soft hover:bg-sunken hover:text-ink',
              )}
            >
              {t(label)}
            </AppLink>
          )
        })}
      </nav>
      {children}
    </>
  )
}
