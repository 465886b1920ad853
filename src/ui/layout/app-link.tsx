import Link, { useLinkStatus } from 'next/link'
import { useRouter } from 'next/navigation'
import { type ComponentProps, useEffect } from 'react'
import { useAnnouncer } from '../context/announcer.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { unfinishedCount } from '../uploads/unfinished-count.ts'

/** Timeout of the check that the server responds. */
const REACHABLE_TIMEOUT_MS = 5000

type AppLinkProps = ComponentProps<typeof Link> & { href: string }

/**
 * A link to another page of the app. If the server is unreachable, Next would leave the current page and lose its
 * unfinished uploads. The link therefore checks first, and shows a message instead.
 */
export function AppLink({ children, ...link }: AppLinkProps) {
  const { uploader } = useClients()
  const { notify } = useAnnouncer()
  const { t } = useMessages()
  const router = useRouter()
  return (
    <Link
      {...link}
      onNavigate={(event) => {
        if (navigator.onLine && unfinishedCount(uploader.getSnapshot()) === 0) return
        event.preventDefault()
        void isServerReachable().then((isReachable) => {
          if (isReachable) router.push(link.href)
          else notify(t(navigator.onLine ? 'errors.unreachable' : 'layout.offline'), 'offline')
        })
      }}
    >
      {children}
      <LinkPending />
    </Link>
  )
}

async function isServerReachable(): Promise<boolean> {
  if (!navigator.onLine) return false
  try {
    return (await fetch('/api/health/live', { signal: AbortSignal.timeout(REACHABLE_TIMEOUT_MS) })).ok
  } catch {
    return false
  }
}

/** A thin line under a link while its page is being fetched. Also announces it to screen readers. */
function LinkPending() {
  const { pending } = useLinkStatus()
  const { announce } = useAnnouncer()
  const { t } = useMessages()
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
