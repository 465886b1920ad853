import clsx from 'clsx'
import { Keyboard, LogOut, Settings, User } from 'lucide-react'
import { lazy, Suspense, useId, useRef, useState } from 'react'
import { useAnnouncer } from '../context/announcer.tsx'
import { useClients } from '../context/use-clients.ts'
import { useSession } from '../context/use-session.ts'
import { LazyShortcutsDialog } from '../files/dialogs/lazy-shortcuts-dialog.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { leaveApp } from '../sign-in/leave-app.ts'
import { unfinishedCount } from '../uploads/unfinished-count.ts'
import { AppLink } from './app-link.tsx'
import { leavePage } from './leave-page.ts'

const ConfirmDialog = lazy(async () => ({
  default: (await import('../components/confirm-dialog.tsx')).ConfirmDialog,
}))

const ITEM =
  'relative flex min-h-10 w-full items-center gap-2.5 rounded-md px-3 hover:bg-sunken focus-visible:-outline-offset-2 pointer-coarse:min-h-11'

/** The account button and its menu, a native popover that Escape and a click outside close. */
export function AccountMenu() {
  const { user } = useSession()
  const { client, uploader } = useClients()
  const { notify } = useAnnouncer()
  const { t } = useMessages()
  // A digit says nothing about the user and would be visible text that the button's name lacks.
  const initial = /^\p{L}/u.exec(user.name ?? user.email)?.[0]
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const popover = useRef<HTMLDivElement>(null)
  const [showsShortcuts, setShowsShortcuts] = useState(false)
  const [confirmCount, setConfirmCount] = useState(0)
  const [busy, setBusy] = useState(false)

  async function leave() {
    setBusy(true)
    // Stay on the page if the server cannot be reached: the session would still be active.
    if (await leaveApp(client)) {
      leavePage('/signin')
      return
    }
    setBusy(false)
    setConfirmCount(0)
    notify(t('layout.signOutFailed'))
  }

  function handleSignOut() {
    popover.current?.hidePopover()
    const unfinished = unfinishedCount(uploader.getSnapshot())
    if (unfinished > 0) setConfirmCount(unfinished)
    else void leave()
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-label={t('layout.account', { email: user.email })}
        className="flex size-10 items-center justify-center rounded-full bg-accent-soft text-sm font-semibold text-accent uppercase pointer-coarse:size-11 forced-colors:border"
      >
        {initial ? <span aria-hidden="true">{initial}</span> : <User aria-hidden="true" className="size-5" />}
      </button>
      <div ref={popover} id={id} popover="auto" className="account-menu">
        <div className="mb-1 max-w-64 border-b border-line px-3 py-2">
          {user.name && (
            <p dir="auto" title={user.name} className="truncate text-left font-medium">
              {user.name}
            </p>
          )}
          <p title={user.email} className="truncate text-ink-soft">
            {user.email}
          </p>
        </div>
        <AppLink href="/settings" className={ITEM} onClick={() => popover.current?.hidePopover()}>
          <Settings aria-hidden="true" className="size-4" />
          {t('layout.settings')}
        </AppLink>
        <button
          type="button"
          // Phones have no keyboard.
          className={clsx(ITEM, 'pointer-coarse:hidden')}
          onClick={() => {
            popover.current?.hidePopover()
            setShowsShortcuts(true)
          }}
        >
          <Keyboard aria-hidden="true" className="size-4" />
          {t('files.shortcuts')}
        </button>
        <button type="button" className={ITEM} onClick={handleSignOut}>
          <LogOut aria-hidden="true" className="size-4" />
          {t('layout.signOut')}
        </button>
      </div>
      {showsShortcuts && (
        <Suspense>
          <LazyShortcutsDialog
            onClose={() => setShowsShortcuts(false)}
            onClosed={() => button.current?.focus()}
          />
        </Suspense>
      )}
      {confirmCount > 0 && (
        <Suspense>
          <ConfirmDialog
            title={t('layout.signOutTitle')}
            description={t('layout.signOutText', { count: confirmCount })}
            confirmLabel={t('layout.signOut')}
            cancelLabel={t('layout.staySignedIn')}
            onConfirm={leave}
            onCancel={() => setConfirmCount(0)}
            onClosed={() => button.current?.focus()}
            busy={busy}
          />
        </Suspense>
      )}
    </>
  )
}
