'use client'

import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { Logo } from '../components/logo.tsx'
import { NoticeBar } from '../components/notice-bar.tsx'
import { useNotice } from '../context/announcer.tsx'
import { AppProvider } from '../context/app-provider.tsx'
import { loadScript } from '../context/load-script.ts'
import { useClients } from '../context/use-clients.ts'
import { type User, useSession } from '../context/use-session.ts'
import { useUploads } from '../context/use-uploads.ts'
import { DeletionsProvider } from '../files/deletion/deletions-provider.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { LazyUploadTray } from '../uploads/lazy-upload-tray.tsx'
import { PageDrop } from '../uploads/page-drop.tsx'
import { TabTitle } from '../uploads/tab-title.tsx'
import { unfinishedCount } from '../uploads/unfinished-count.ts'
import { UploadAnnouncer } from '../uploads/upload-announcer.tsx'
import { AccountMenu } from './account-menu.tsx'
import { AppLink } from './app-link.tsx'
import { FocusKeeper } from './focus-keeper.tsx'
import { isLeaving } from './leave-page.ts'
import { MainNav } from './main-nav.tsx'
import { useOfflineDialogs } from './use-offline-dialogs.ts'

const SessionEndedDialog = lazy(async () => ({
  default: (await import('./session-ended-dialog.tsx')).SessionEndedDialog,
}))

// A separate script, because few users need it.
const VerifyEmailBanner = lazy(async () => ({
  default: (await loadScript(() => import('./verify-email-banner.tsx'))).VerifyEmailBanner,
}))

/** Asks the user to sign in again once an API call or the upload queue finds that the session has ended. */
function SessionEnded() {
  const { ended } = useSession()
  const { signedOut, uploads } = useUploads()
  useOfflineDialogs(uploads.length > 0)
  return ended || signedOut ? (
    <Suspense>
      <SessionEndedDialog />
    </Suspense>
  ) : null
}

/** The message of the last `notify`. */
function PageNotice() {
  const notice = useNotice()
  return notice && <NoticeBar {...notice} />
}

/** Warns before the page closes while uploads are in progress, waiting or paused. */
function UnloadGuard() {
  const { uploader } = useClients()
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (!isLeaving() && unfinishedCount(uploader.getSnapshot()) > 0) event.preventDefault()
    }
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [uploader])
  return null
}

/** Header, navigation, uploads and content of every signed-in page. Uploads continue whatever happens to the content. */
export function AppLayout({ user, children }: { user: User; children: ReactNode }) {
  const { t } = useMessages()
  return (
    <AppProvider user={user}>
      <a
        href="#content"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded-lg bg-accent px-4 py-2 text-on-accent focus:translate-y-0"
      >
        {t('layout.skipToContent')}
      </a>
      <header className="sticky top-0 z-20 short:static border-b border-line bg-ground print:hidden">
        <div className="mx-auto flex h-14 max-w-5xl xl:max-w-[76rem] items-center gap-2 px-4 sm:gap-6 sm:px-6">
          <AppLink href="/" className="rounded-md" aria-label={t('layout.home')}>
            <Logo nameClass={user.isAdmin ? 'sm:max-md:hidden' : undefined} />
          </AppLink>
          <MainNav className="hidden h-full sm:flex" />
          <div className="ml-auto flex items-center gap-3">
            <AccountMenu />
          </div>
        </div>
      </header>
      <PageNotice />
      {user.mustVerify && (
        <Suspense>
          <VerifyEmailBanner />
        </Suspense>
      )}
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto max-w-5xl xl:max-w-[76rem] px-4 pt-6 pb-28 outline-none sm:px-6 sm:pt-8 sm:pb-16"
      >
        <DeletionsProvider>{children}</DeletionsProvider>
      </main>
      <LazyUploadTray />
      <MainNav className="short:static fixed inset-x-0 bottom-0 z-20 flex h-[calc(3.5rem+env(safe-area-inset-bottom))] justify-around border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] sm:hidden print:hidden" />
      <PageDrop />
      <TabTitle />
      <UploadAnnouncer />
      <SessionEnded />
      <UnloadGuard />
      <FocusKeeper />
    </AppProvider>
  )
}
