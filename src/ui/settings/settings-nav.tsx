import clsx from 'clsx'
import { useEffect, useRef, useState } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { useScrollRow } from '../layout/use-scroll-row.ts'

type Entry = { id: string; label: string }

type SettingsNavProps = {
  sections: (Entry & { /** Cards of the section that have links of their own. */ entries: Entry[] })[]
}

const CURRENT = 'border-accent text-ink'
const OTHER = 'border-transparent text-ink-soft hover:text-ink forced-colors:border-[Canvas]'

/** Returns the ID of a section's first card. Links lead to the section instead. */
export const firstCardId = (sectionId: string): string => `${sectionId}-card`

/**
 * Links to the sections of the page: next to them on wide screens, with further links to their cards, else above them.
 * Marks the current ones.
 */
export function SettingsNav({ sections }: SettingsNavProps) {
  const { t } = useMessages()
  const cardsOf = ({ id, entries }: (typeof sections)[number]) => [
    ...new Set([firstCardId(id), ...entries.map((entry) => entry.id)]),
  ]
  const currentCard = useCurrentCard(sections.flatMap(cardsOf).join(' '))
  const current = sections.find((section) => currentCard && cardsOf(section).includes(currentCard))?.id
  const nav = useRef<HTMLElement>(null)
  useScrollRow(nav, current)
  return (
    <nav
      ref={nav}
      aria-label={t('settings.sections')}
      className="scroll-row border-b border-line max-sm:-mx-2 lg:sticky lg:top-20 lg:border-0 print:hidden"
    >
      <ul className="flex lg:flex-col lg:gap-1">
        {sections.map(({ id, label, entries }) => (
          <li key={id} className="shrink-0">
            <a
              href={`#${id}`}
              aria-current={id === current ? 'location' : undefined}
              className={clsx(
                'flex min-h-11 items-center px-1.5 text-sm font-medium -outline-offset-2 max-lg:border-b-2 sm:px-3 lg:border-l-2',
                id === current ? CURRENT : OTHER,
              )}
            >
              {label}
            </a>
            {entries.length > 0 && (
              <ul className="max-lg:hidden">
                {entries.map((entry) => (
                  <li key={entry.id}>
                    <a
                      href={`#${entry.id}`}
                      aria-current={entry.id === currentCard ? 'location' : undefined}
                      className={clsx(
                        'flex min-h-8 items-center border-l-2 pl-6 text-sm -outline-offset-2 pointer-coarse:min-h-11',
                        entry.id === currentCard ? CURRENT : OTHER,
                      )}
                    >
                      {entry.label}
                    </a>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </nav>
  )
}

const SCROLL_KEYS = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ']

/** Returns true for a key that scrolls the page instead of moving within a field, or pressing a button. */
function isScrollKey({ key, target, defaultPrevented }: KeyboardEvent): boolean {
  const inUse = key === ' ' ? 'input, select, textarea, button, summary' : 'input, select, textarea'
  return !defaultPrevented && SCROLL_KEYS.includes(key) && !(target as Element).closest(inUse)
}

/**
 * Returns the ID of the card in use: the one that a link led to or that had the focus last, while it is in view and the
 * user does not scroll. Otherwise, it is the topmost card in view below the header. `ids` are separated by spaces.
 */
function useCurrentCard(ids: string): string | undefined {
  const [current, setCurrent] = useState<string>()
  useEffect(() => {
    const cards = ids.split(' ').map((id) => document.getElementById(id)!)
    const visible = new Set<Element>()
    let used: Element | undefined
    const mark = () =>
      setCurrent((used && visible.has(used) ? used : cards.find((card) => visible.has(card)))?.id)
    const markUsed = (card: Element | undefined) => {
      if (!card) return
      used = card
      mark()
    }
    const markLinked = () => {
      const id = location.hash.slice(1)
      markUsed(cards.find((card) => card.id === id || card.id === firstCardId(id)))
    }
    const scrollOn = () => {
      used = undefined
      mark()
    }
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries)
          if (isIntersecting) visible.add(target)
          else visible.delete(target)
        mark()
      },
      // If a card ends just below the header, the reader is already in the next one.
      { rootMargin: '-120px 0px 0px 0px' },
    )
    for (const card of cards) observer.observe(card)
    markLinked()
    const listeners = new AbortController()
    const { signal } = listeners
    addEventListener('hashchange', markLinked, { signal })
    addEventListener(
      'focusin',
      ({ target }) => markUsed(cards.find((card) => card.contains(target as Node))),
      {
        signal,
      },
    )
    addEventListener('keydown', (event) => isScrollKey(event) && scrollOn(), { signal })
    for (const type of ['wheel', 'touchmove']) addEventListener(type, scrollOn, { signal, passive: true })
    return () => {
      observer.disconnect()
      listeners.abort()
    }
  }, [ids])
  return current
}
