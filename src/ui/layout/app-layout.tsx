'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { Logo } from '../components/logo.tsx'
import { AppProvider } from '../context/app-provider.tsx'
import type { User } from '../context/use-session.ts'
import { AccountMenu } from './account-menu.tsx'
import { HeaderProgress } from './header-progress.tsx'
import { MainNav } from './main-nav.tsx'
import { SessionEnded } from './session-ended.tsx'
import { UnloadGuard } from './unload-guard.tsx'

/** Header, navigation and content of every signed-in page. */
export function AppLayout({ user, children }: { user: User; children: ReactNode }) {
  return (
    <AppProvider user={user}>
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
          <MainNav className="hidden h-full sm:flex" />
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
      <MainNav className="short:static fixed inset-x-0 bottom-0 z-20 flex justify-around border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] sm:hidden" />
      <SessionEnded />
      <UnloadGuard />
    </AppProvider>
  )
}
