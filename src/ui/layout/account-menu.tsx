'use client'

import { LogOut, Settings } from 'lucide-react'
import Link from 'next/link'
import { useId, useRef } from 'react'
import { useClients } from '../context/use-clients.ts'
import { useSession } from '../context/use-session.ts'

const ITEM =
  'flex min-h-10 w-full items-center gap-2.5 rounded-md px-3 hover:bg-sunken focus-visible:-outline-offset-2'

/** The account button and its menu: a native popover, which Escape and a click outside close. */
export function AccountMenu() {
  const { user } = useSession()
  const { uploader } = useClients()
  const id = useId()
  const popover = useRef<HTMLDivElement>(null)

  async function handleSignOut() {
    await uploader.close()
    const { signOut } = await import('next-auth/react')
    await signOut({ redirect: false })
    // A full page load, so that nothing of this user stays in memory.
    location.assign('/signin')
  }

  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        aria-label={`Account: ${user.email}`}
        className="flex size-10 items-center justify-center rounded-full bg-accent-soft text-sm font-semibold text-accent uppercase forced-colors:border"
      >
        {(user.name ?? user.email).slice(0, 1)}
      </button>
      <div ref={popover} id={id} popover="auto" className="account-menu">
        <p className="max-w-64 truncate px-3 py-2 text-ink-soft" title={user.email}>
          {user.email}
        </p>
        <Link href="/settings" className={ITEM} onClick={() => popover.current?.hidePopover()}>
          <Settings aria-hidden="true" className="size-4" />
          Settings
        </Link>
        <button type="button" className={ITEM} onClick={handleSignOut}>
          <LogOut aria-hidden="true" className="size-4" />
          Sign out
        </button>
      </div>
    </>
  )
}
