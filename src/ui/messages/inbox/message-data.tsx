import { useWords } from '../../i18n/messages-provider.tsx'

/** The extra payload of a message, an entry a line. */
export function MessageData({ data }: { data: Record<string, unknown> }) {
  const { t } = useWords()
  const entries = Object.entries(data)
  if (entries.length === 0) return null
  return (
    <dl
      aria-label={t('messages.data')}
      className="mt-2 grid gap-x-4 gap-y-1 rounded-lg bg-sunken px-3 py-2 text-xs forced-colors:border sm:grid-cols-[auto_1fr]"
    >
      {entries.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="font-medium text-ink-soft">
            <bdi>{name}</bdi>
          </dt>
          <dd className="min-w-0 font-mono whitespace-pre-wrap">
            <bdi>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}
