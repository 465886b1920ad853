import { Disclosure } from '../../components/disclosure.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { dataEntries } from './data-entries.ts'

/** The data that a message carries for apps, as names and values. Collapsed, because few users need it. */
export function MessageData({ data }: { data: Record<string, unknown> }) {
  const { t } = useMessages()
  const entries = dataEntries(data)
  if (entries.length === 0) return null
  // Numbers are shown as they are, because most are IDs.
  const textOf = (value: string | number | boolean) =>
    typeof value === 'boolean' ? t(value ? 'messages.yes' : 'messages.no') : String(value)
  return (
    <div className="mt-3">
      <Disclosure title={t('messages.data')}>
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
      </Disclosure>
    </div>
  )
}
