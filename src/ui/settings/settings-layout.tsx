'use client'

import { BellRing, ChevronRight, KeyRound, type LucideIcon, ShieldCheck, User } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { IconTile } from '../components/icon-tile.tsx'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AppLink } from '../layout/app-link.tsx'
import { BackLink } from '../layout/back-link.tsx'
import { SectionNav } from '../layout/section-nav.tsx'

const SETTINGS = '/settings'

type Section = { href: string; label: PlainMessageKey; text: PlainMessageKey; icon: LucideIcon }

const SECTIONS: Section[] = [
  { href: '/settings/profile', label: 'profile.title', text: 'settings.profileText', icon: User },
  {
    href: '/settings/notifications',
    label: 'notifications.title',
    text: 'settings.notificationsText',
    icon: BellRing,
  },
  { href: '/settings/api-keys', label: 'apiKeys.title', text: 'settings.apiKeysText', icon: KeyRound },
  {
    href: '/settings/security',
    label: 'settings.security',
    text: 'settings.securityText',
    icon: ShieldCheck,
  },
]

/** On phones, the path without a section shows the list of sections. Wider screens show the first section. */
const NAV_ITEMS = SECTIONS.map((section, index) => (index === 0 ? { ...section, href: SETTINGS } : section))

/**
 * Heading of the settings and links to their sections. On phones, the list of sections is a page of its own, and each
 * section has a link back to it.
 */
export function SettingsLayout({ children }: { children: ReactNode }) {
  const { t } = useMessages()
  const path = usePathname()
  const section = SECTIONS.find(({ href }) => href === path)
  const heading = useRef<HTMLHeadingElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const lastPath = useRef(path)

  useLayoutEffect(() => {
    if (lastPath.current === path) return
    const link = list.current?.querySelector<HTMLElement>(`[href="${lastPath.current}"]`)
    lastPath.current = path
    // Next scrolls to the page's content, which phones do not show here.
    if (path === SETTINGS) scrollTo(0, 0)
    // On phones, the link that was followed is gone, unless it was in the tab bar. On wide screens, these are hidden.
    if (document.activeElement === document.body) (link ?? heading.current)?.focus({ preventScroll: true })
  }, [path])

  return (
    <div className="space-y-6">
      {section && (
        <div className="sm:hidden">
          <BackLink href={SETTINGS}>{t('settings.title')}</BackLink>
          <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold tracking-tight outline-none">
            {t(section.label)}
          </h1>
        </div>
      )}
      <h1
        className={`min-h-11 content-center text-xl font-semibold tracking-tight sm:text-2xl ${section ? 'max-sm:hidden' : ''}`}
      >
        {t('settings.title')}
      </h1>
      {!section && (
        <nav aria-label={t('settings.sections')} className="sm:hidden">
          <ul
            ref={list}
            className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-surface shadow-card"
          >
            {SECTIONS.map(({ href, label, text, icon }) => (
              <li key={href}>
                <AppLink
                  href={href}
                  className="relative flex min-h-16 items-center gap-3 px-4 max-[22.5rem]:gap-2 max-[22.5rem]:px-3 py-3 -outline-offset-2 active:bg-sunken"
                >
                  <IconTile icon={icon} />
                  <span className="min-w-0 flex-1">
                    <span className="block font-medium">{t(label)}</span>
                    <span className="block text-sm text-ink-soft">{t(text)}</span>
                  </span>
                  <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
                </AppLink>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[11rem_minmax(0,1fr)]">
        {/* Beside the content on wide screens. Phones do without it. */}
        <SectionNav
          label={t('settings.sections')}
          items={NAV_ITEMS}
          className="max-sm:hidden lg:sticky lg:top-20 lg:flex-col lg:border-0"
          linkClass="max-lg:first:pl-0 lg:justify-start lg:border-b-0 lg:border-l-2 lg:px-3"
        />
        <div className="space-y-6">{children}</div>
      </div>
    </div>
  )
}
