import clsx from 'clsx'
import { BellRing, Files, type LucideIcon, Settings, ShieldUser } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { useSession } from '../context/use-session.ts'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AppLink } from './app-link.tsx'
import { UnreadCount } from './unread-count.tsx'

type Item = {
  href: string
  label: PlainMessageKey
  icon: LucideIcon
  /** Path of all pages that belong to the item besides `href`. Default: `href`. */
  folder?: string
}

const ITEMS: Item[] = [
  { href: '/', label: 'layout.files', icon: Files, folder: '/trash' },
  { href: '/messages', label: 'layout.messages', icon: BellRing },
  { href: '/settings', label: 'layout.settings', icon: Settings },
]
const ADMIN: Item = { href: '/admin/users', label: 'layout.admin', icon: ShieldUser, folder: '/admin' }

export function MainNav({ className }: { className: string }) {
  const path = usePathname()
  const { t } = useMessages()
  const { isAdmin } = useSession().user
  const items = isAdmin ? [...ITEMS, ADMIN] : ITEMS
  const isCurrentItem = ({ href, folder = href }: Item) =>
    path === href || `${path}/`.startsWith(`${folder}/`)
  return (
    <nav aria-label={t('layout.navigation')} className={clsx('sm:gap-1', className)}>
      {items.map((item) => {
        const { href, label, icon: Icon } = item
        const isCurrent = isCurrentItem(item)
        return (
          <AppLink
            key={href}
            href={href}
            aria-current={isCurrent ? 'page' : undefined}
            className={clsx(
              'relative flex min-w-0 flex-1 flex-col items-center justify-center gap-0.5 py-2 text-xs max-[359px]:text-[0.6875rem] font-medium transition-colors max-sm:-mt-px max-sm:border-t-2 sm:flex-none sm:flex-row sm:gap-2 sm:border-b-2 sm:px-3 sm:py-0 sm:pt-0.5 sm:text-sm',
              isCurrent
                ? 'border-accent text-accent sm:text-ink'
                : 'border-transparent text-ink-soft hover:text-ink forced-colors:border-[Canvas]',
            )}
          >
            {/* Hidden where German names fill the header: at 200% zoom and on tablets. */}
            <Icon aria-hidden="true" className="size-5 sm:size-4 sm:max-lg:hidden" />
            {t(label)}
            {href === '/messages' && <UnreadCount />}
          </AppLink>
        )
      })}
    </nav>
  )
}
