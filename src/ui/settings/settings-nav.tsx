import clsx from 'clsx'
import { useEffect, useRef, useState } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { useScrollRow } from '../layout/use-scroll-row.ts'

type SettingsNavProps = { sections: { id: string; label: string }[] }

/** Links to the sections of the page: next to them on wide screens, else above them. Marks the current one. */
export function SettingsNav({ sections }: SettingsNavProps) {
  const { t } = useMessages()
  const current = useCurrentSection(sections.map(({ id }) => id).join(' '))
  const nav = useRef<HTMLElement>(null)
  useScrollRow(nav, current)
  return (
    <nav
      ref={nav}
      aria-label={t('settings.sections')}
      className="scroll-row border-b border-line max-sm:-mx-2 lg:sticky lg:top-20 lg:border-0 print:hidden"
    >
      <ul className="flex lg:flex-col lg:gap-1">
        {sections.map(({ id, label }) => (
          <li key={id} className="shrink-0">
            <a
              href={`#${id}`}
              aria-current={id === current ? 'location' : undefined}
              className={clsx(
                'flex min-h-11 items-center px-1.5 text-sm font-medium -outline-offset-2 max-lg:border-b-2 sm:px-3 lg:border-l-2',
                id === current
                  ? 'border-accent text-ink'
                  : 'border-transparent text-ink-soft hover:text-ink forced-colors:border-[Canvas]',
              )}
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Returns the ID of the topmost section that is in view below the header. `ids` are separated by spaces. */
function useCurrentSection(ids: string): string | undefined {
  const [current, setCurrent] = useState<string>()
  useEffect(() => {
    const visible = new Set<Element>()
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries)
          if (isIntersecting) visible.add(target)
          else visible.delete(target)
        setCurrent(ids.split(' ').find((id) => [...visible].some((section) => section.id === id)))
      },
      // Of a section whose end is still below the header, the reader is already in the next one.
      { rootMargin: '-120px 0px 0px 0px' },
    )
    for (const id of ids.split(' ')) observer.observe(document.getElementById(id)!)
    return () => observer.disconnect()
  }, [ids])
  return current
}
