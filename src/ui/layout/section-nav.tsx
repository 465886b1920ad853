import clsx from 'clsx'
import { usePathname } from 'next/navigation'
import { useRef } from 'react'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AppLink } from './app-link.tsx'
import { useScrollRow } from './use-scroll-row.ts'

type SectionNavProps = {
  label: string
  /** An item is also current on pages below its `href`, unless another item matches exactly. */
  items: { href: string; label: PlainMessageKey }[]
  /** True if no item is current on pages below its `href`. */
  exact?: boolean
  className?: string
  /** Default: the text of the first link aligns with the content below. */
  linkClass?: string
}

/** Links between the pages of a section. They scroll if they do not fit in one row. */
export function SectionNav({
  label,
  items,
  exact = false,
  className,
  linkClass = 'first:pl-0',
}: SectionNavProps) {
  const path = usePathname()
  const { t } = useMessages()
  const nav = useRef<HTMLElement>(null)
  const currentItem =
    items.find(({ href }) => path === href) ??
    (exact ? undefined : items.find(({ href }) => path.startsWith(`${href}/`)))

  useScrollRow(nav, path)

  return (
    <nav
      ref={nav}
      aria-label={label}
      className={clsx(
        'scroll-row flex gap-x-3 max-[22.5rem]:gap-x-2 sm:gap-x-4 border-b border-line print:hidden',
        className,
      )}
    >
      {items.map((item) => (
        <AppLink
          key={item.href}
          href={item.href}
          aria-current={item === currentItem ? 'page' : undefined}
          className={clsx(
            'relative flex min-h-11 min-w-11 shrink-0 items-center justify-center border-b-2 px-1 text-sm font-medium -outline-offset-2 transition-colors',
            linkClass,
            item === currentItem
              ? 'border-accent text-ink'
              : 'border-transparent text-ink-soft hover:text-ink forced-colors:border-[Canvas]',
          )}
        >
          {t(item.label)}
        </AppLink>
      ))}
    </nav>
  )
}
