import { useMessages } from '../i18n/messages-provider.tsx'

type SettingsNavProps = { sections: { id: string; label: string }[] }

/** Links to the sections of the page: next to them on wide screens, else in a row that scrolls. */
export function SettingsNav({ sections }: SettingsNavProps) {
  const { t } = useMessages()
  return (
    <nav
      aria-label={t('settings.sections')}
      className="border-b border-line max-lg:overflow-x-auto lg:sticky lg:top-20 lg:border-0 print:hidden"
    >
      <ul className="flex lg:flex-col lg:gap-1">
        {sections.map(({ id, label }) => (
          <li key={id} className="shrink-0">
            <a
              href={`#${id}`}
              className="flex min-h-11 items-center rounded-md px-2 text-sm font-medium text-ink-soft -outline-offset-2 hover:text-ink sm:px-3 lg:hover:bg-sunken"
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
