'use client'

import Link, { useLinkStatus } from 'next/link'
import { useRouter } from 'next/navigation'
import { type ComponentProps, useEffect } from 'react'
import { useTell } from '../context/announcer.tsx'
import { useClients } from '../context/use-clients.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { unfinishedCount } from '../uploads/unfinished-count.ts'

/** How long the server may take to show that it is there. */
const REACH_MS = 5000

type AppLinkProps = ComponentProps<typeof Link> & { href: string }

/**
 * A link to another page of ours. When the server cannot be reached, Next would load the address as a new page, and
 * uploads that are not finished would be lost with this one: then it stays here and says why.
 */
export function AppLink({ children, ...link }: AppLinkProps) {
  const { uploader } = useClients()
  const { notify } = useTell()
  const { t } = useWords()
  const router = useRouter()
  return (
    <Link
      {...link}
      onNavigate={(event) => {
        if (navigator.onLine && unfinishedCount(uploader.getSnapshot()) === 0) return
        event.preventDefault()
        void reachable().then((there) => {
          if (there) router.push(link.href)
          else notify(t('layout.offline'))
        })
      }}
    >
      {children}
      <LinkPending />
    </Link>
  )
}

async function reachable(): Promise<boolean> {
  if (!navigator.onLine) return false
  try {
    return (await fetch('/api/health/live', { signal: AbortSignal.timeout(REACH_MS) })).ok
  } catch {
    return false
  }
}

/** A thin line under a link while its page is being fetched; screen readers are told. */
function LinkPending() {
  const { pending } = useLinkStatus()
  const { announce } = useTell()
  const { t } = useWords()
  useEffect(() => {
    if (pending) announce(t('common.loading'))
  }, [pending, announce, t])
  return (
    <span
      aria-hidden="true"
      data-pending={pending || undefined}
      className="link-pending absolute inset-x-2 bottom-0 h-0.5 rounded-full bg-accent opacity-0 data-pending:opacity-100"
    />
  )
}
