'use client'

import { LogOut, Settings } from 'lucide-react'
import Link from 'next/link'
import { useId, useRef } from 'react'
import { useEngine, useSession } from './context.tsx'

const ITEM =
  'flex min-h-10 w-full items-center gap-2.5 rounded-md px-3 hover:bg-sunken focus-visible:-outline-offset-2'

/** Who is signed in, and out. The browser's own popover: closed by Escape and by a click elsewhere. */
export function AccountMenu() {
  const { person } = useSession()
  const { uploader } = useEngine()
  const id = useId()
  const popover = useRef<HTMLDivElement>(null)

  async function leave() {
    await uploader.close()
    const { signOut } = await import('next-auth/react')
    await signOut({ redirect: false })
    // A fresh page: nothing of this person stays in memory.
    location.assign('/signin')
  }

  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        aria-label={`Account: ${person.email}`}
        className="flex size-10 items-center justify-center rounded-full bg-accent-soft text-sm font-semibold text-accent uppercase forced-colors:border"
      >
        {(person.name ?? person.email).slice(0, 1)}
      </button>
      <div ref={popover} id={id} popover="auto" className="account-menu">
        <p className="max-w-64 truncate px-3 py-2 text-ink-soft" title={person.email}>
          {person.email}
        </p>
        <Link href="/settings" className={ITEM} onClick={() => popover.current?.hidePopover()}>
          <Settings aria-hidden="true" className="size-4" />
          Settings
        </Link>
        <button type="button" className={ITEM} onClick={leave}>
          <LogOut aria-hidden="true" className="size-4" />
          Sign out
        </button>
      </div>
    </>
  )
}
