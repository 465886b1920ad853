import { ProgressBar } from '../components/progress-bar.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import type { Usage } from './use-file-queries.ts'

/** Share of the quota at which the meter turns red. */
const NEARLY_FULL = 0.9

/** Meter of the used quota and of the bytes that uploads in progress reserve. */
export function QuotaMeter({ usage: { used, reserved, quota } }: { usage: Usage }) {
  const { t, format } = useMessages()
  const share = quota === 0 ? 1 : used / quota
  const full = quota === 0 || (used + reserved) / quota >= NEARLY_FULL
  const text = t('storage.used', { used: format.bytes(used), quota: format.bytes(quota) })
  const reservedText = reserved > 0 ? t('storage.reserved', { size: format.bytes(reserved) }) : ''
  return (
    <div className="w-full">
      <p className="mb-1.5 flex justify-between gap-3 text-sm text-ink-soft tabular-nums">
        <span>{text}</span>
        {full && (
          <span className="font-medium text-danger">
            {share >= 1 ? t('storage.full') : t('storage.nearlyFull')}
          </span>
        )}
      </p>
      <ProgressBar
        role="meter"
        label={t('storage.label')}
        value={share}
        secondaryValue={quota === 0 ? 0 : reserved / quota}
        valueText={reservedText ? `${text}, ${reservedText}` : text}
        tone={full ? 'danger' : 'accent'}
      />
    </div>
  )
}
