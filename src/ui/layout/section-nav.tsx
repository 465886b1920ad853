'use client'

import clsx from 'clsx'
import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { AppLink } from './app-link.tsx'

type SectionNavProps = {
  label: string
  /** `href` is also the folder of the pages below it, unless another item is one of these. */
  items: { href: string; label: PlainMessageKey }[]
}

/** Links between the pages of a section; where they have no room beside each other, they scroll. */
export function SectionNav({ label, items }: SectionNavProps) {
  const path = usePathname()
  const { t } = useWords()
  const nav = useRef<HTMLElement>(null)
  const here =
    items.find(({ href }) => path === href) ?? items.find(({ href }) => path.startsWith(`${href}/`))

  // biome-ignore lint/correctness/useExhaustiveDependencies: the current link is another one with every path
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current]')
    if (nav.current && current) nav.current.scrollLeft = current.offsetLeft - nav.current.clientWidth / 3
  }, [path])

  return (
    <nav
      ref={nav}
      aria-label={label}
      className="relative flex gap-1 overflow-x-auto border-b border-line print:hidden"
    >
      {items.map((item) => (
        <AppLink
          key={item.href}
          href={item.href}
          aria-current={item === here ? 'page' : undefined}
          className={clsx(
            'relative flex min-h-11 shrink-0 items-center border-b-2 px-2 text-sm font-medium -outline-offset-2 transition-colors sm:px-3',
            item === here
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
