import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'

/** Time of the last check. */
export function CheckedAt({ at }: { at: string }) {
  const { t } = useMessages()
  return (
    <p className="text-sm text-ink-soft tabular-nums">
      {t.rich('admin.health.checked', { time: at, when: () => <LocalTime at={at} /> })}
    </p>
  )
}
