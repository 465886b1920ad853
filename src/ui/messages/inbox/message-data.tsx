import { useMessages } from '../../i18n/messages-provider.tsx'
import type { DataEntry } from './data-entries.ts'

/** The data that a message carries for apps, as names and values. */
export function MessageData({ entries }: { entries: readonly DataEntry[] }) {
  const { t } = useMessages()
  // Numbers are shown as they are, because most are IDs.
  const textOf = (value: string | number | boolean) =>
    typeof value === 'boolean' ? t(value ? 'messages.yes' : 'messages.no') : String(value)
  return (
    <section aria-label={t('messages.data')} className="mt-3 rounded-lg bg-sunken p-3">
      <dl className="grid gap-x-4 gap-y-1 text-sm sm:grid-cols-[minmax(0,auto)_minmax(0,2fr)]">
        {entries.map(({ name, values }) => (
          <div key={name} className="contents">
            <dt className="text-ink-soft wrap-anywhere">
              <bdi>{name}</bdi>
            </dt>
            <dd className="whitespace-pre-wrap wrap-anywhere max-sm:mb-2">
              <bdi>{values.map(textOf).join(', ')}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
