'use client'

import type { ReactNode } from 'react'
import { Logo } from '../components/logo.tsx'
import { AppProvider } from '../context/app-provider.tsx'
import type { User } from '../context/use-session.ts'
import { DeletionsProvider } from '../files/deletion/deletions-provider.tsx'
import { useWords } from '../i18n/messages-provider.tsx'
import { LazyUploadTray } from '../uploads/lazy-upload-tray.tsx'
import { PageDrop } from '../uploads/page-drop.tsx'
import { TabTitle } from '../uploads/tab-title.tsx'
import { UploadAnnouncer } from '../uploads/upload-announcer.tsx'
import { AccountMenu } from './account-menu.tsx'
import { AppLink } from './app-link.tsx'
import { FocusKeeper } from './focus-keeper.tsx'
import { MainNav } from './main-nav.tsx'
import { SessionEnded } from './session-ended.tsx'
import { UnloadGuard } from './unload-guard.tsx'
import { VerifyEmailBanner } from './verify-email-banner.tsx'

/** Header, navigation, uploads and content of every signed-in page. Uploads go on whatever happens to the content. */
export function AppLayout({ user, children }: { user: User; children: ReactNode }) {
  const { t } = useWords()
  return (
    <AppProvider user={user}>
      <a
        href="#content"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded-lg bg-accent px-4 py-2 text-on-accent focus:translate-y-0"
      >
        {t('layout.skipToContent')}
      </a>
      <header className="sticky top-0 z-20 short:static border-b border-line bg-ground/95 backdrop-blur print:hidden">
        <div className="mx-auto flex h-14 max-w-5xl items-center gap-2 px-4 sm:gap-6 sm:px-6">
          <AppLink href="/" className="rounded-md" aria-label={t('layout.home')}>
            <Logo />
          </AppLink>
          <MainNav className="hidden h-full sm:flex" />
          <div className="ml-auto flex items-center gap-3">
            <AccountMenu />
          </div>
        </div>
      </header>
      <VerifyEmailBanner />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto max-w-5xl px-4 pt-6 pb-28 outline-none sm:px-6 sm:pt-8 sm:pb-16"
      >
        <DeletionsProvider>{children}</DeletionsProvider>
      </main>
      <LazyUploadTray />
      <MainNav className="short:static fixed inset-x-0 bottom-0 z-20 flex justify-around border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] sm:hidden print:hidden" />
      <PageDrop />
      <TabTitle />
      <UploadAnnouncer />
      <SessionEnded />
      <UnloadGuard />
      <FocusKeeper />
    </AppProvider>
  )
}
