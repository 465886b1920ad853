'use client'

import clsx from 'clsx'
import { BellRing, Files, type LucideIcon, Settings } from 'lucide-react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { Logo } from '../parts/logo.tsx'
import { AccountMenu } from './account-menu.tsx'
import { AppProvider, type Person } from './context.tsx'
import { HeaderProgress } from './header-progress.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { SessionEnded } from './session-ended.tsx'

const PLACES: { href: string; label: string; icon: LucideIcon }[] = [
  { href: '/', label: 'Files', icon: Files },
  { href: '/messages', label: 'Messages', icon: BellRing },
  { href: '/settings', label: 'Settings', icon: Settings },
]

/** The frame of every signed-in page: where one is, where one can go, who one is. */
export function Shell({ person, children }: { person: Person; children: ReactNode }) {
  return (
    <AppProvider person={person}>
      <a
        href="#content"
        className="sr-only z-50 rounded-lg bg-accent px-4 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-20 short:static border-b border-line bg-ground/95 backdrop-blur">
        <div className="mx-auto flex h-14 max-w-5xl items-center gap-2 px-4 sm:gap-6 sm:px-6">
          <Link href="/" className="rounded-md" aria-label="Pigeonhole: your files">
            <Logo />
          </Link>
          <Places className="hidden h-full sm:flex" />
          <div className="ml-auto flex items-center gap-3">
            <HeaderProgress />
            <AccountMenu />
          </div>
        </div>
      </header>
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto max-w-5xl px-4 pt-6 pb-28 outline-none sm:px-6 sm:pt-8 sm:pb-16"
      >
        {children}
      </main>
      <Places className="short:static fixed inset-x-0 bottom-0 z-20 flex justify-around border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] sm:hidden" />
      <SessionEnded />
      <LeaveGuard />
    </AppProvider>
  )
}

function Places({ className }: { className: string }) {
  const path = usePathname()
  return (
    <nav aria-label="Main" className={clsx('gap-1', className)}>
      {PLACES.map(({ href, label, icon: Icon }) => (
        <Link
          key={href}
          href={href}
          aria-current={path === href ? 'page' : undefined}
          className={clsx(
            'flex flex-1 flex-col items-center justify-center gap-0.5 px-3 py-2 text-xs font-medium transition-colors max-sm:-mt-px max-sm:border-t-2 sm:flex-none sm:flex-row sm:gap-2 sm:border-b-2 sm:py-0 sm:pt-0.5 sm:text-sm',
            path === href
              ? 'border-accent text-accent sm:text-ink'
              : 'border-transparent text-ink-soft hover:text-ink forced-colors:border-[Canvas]',
          )}
        >
          <Icon aria-hidden="true" className="size-5 sm:size-4" />
          {label}
        </Link>
      ))}
    </nav>
  )
}
