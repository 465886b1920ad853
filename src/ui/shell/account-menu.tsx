'use client'

import * as Menu from '@radix-ui/react-dropdown-menu'
import { LogOut, Settings } from 'lucide-react'
import Link from 'next/link'
import { useEngine, useSession } from './context.tsx'

export const menuClass =
  'z-30 min-w-48 rounded-lg border border-line bg-surface p-1 text-sm shadow-card outline-none'
export const menuItemClass =
  'flex min-h-10 items-center gap-2.5 rounded-md px-3 outline-none select-none data-highlighted:bg-sunken'

/** Who is signed in, and out. */
export function AccountMenu() {
  const { person } = useSession()
  const { uploader } = useEngine()

  async function leave() {
    await uploader.close()
    const { signOut } = await import('next-auth/react')
    await signOut({ redirect: false })
    // A fresh page: nothing of this person stays in memory.
    location.assign('/signin')
  }

  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        aria-label={`Account: ${person.email}`}
        className="flex size-10 items-center justify-center rounded-full bg-accent-soft text-sm font-semibold text-accent uppercase"
      >
        {(person.name ?? person.email).slice(0, 1)}
      </Menu.Trigger>
      {/* In its place, not in a portal: there it would be outside of every landmark. */}
      <Menu.Content align="end" sideOffset={6} className={menuClass}>
        <Menu.Label className="max-w-64 truncate px-3 py-2 text-ink-soft">{person.email}</Menu.Label>
        <Menu.Item asChild>
          <Link href="/settings" className={menuItemClass}>
            <Settings aria-hidden="true" className="size-4" />
            Settings
          </Link>
        </Menu.Item>
        <Menu.Item className={menuItemClass} onSelect={leave}>
          <LogOut aria-hidden="true" className="size-4" />
          Sign out
        </Menu.Item>
      </Menu.Content>
    </Menu.Root>
  )
}
