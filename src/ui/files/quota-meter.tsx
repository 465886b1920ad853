import type { ReactNode } from 'react'
import { ProgressBar } from '../components/progress-bar.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import type { Usage } from './use-file-queries.ts'

/** Share of the quota at which the meter turns red. */
const NEARLY_FULL = 0.9

type QuotaMeterProps = {
  usage: Usage
  /** Shown at the end of the line above the meter. */
  action?: ReactNode
}

/** Meter of the used quota and of the bytes that uploads in progress and the trash reserve. */
export function QuotaMeter({ usage: { used, reserved, quota }, action }: QuotaMeterProps) {
  const { t, format } = useMessages()
  const share = quota === 0 ? 1 : used / quota
  const full = quota === 0 || (used + reserved) / quota >= NEARLY_FULL
  const text = t('storage.used', { used: format.bytes(used), quota: format.bytes(quota) })
  const reservedText = reserved > 0 ? t('storage.reserved', { size: format.bytes(reserved) }) : ''
  return (
    <div className="w-full">
      <p className="mb-1.5 flex items-center justify-between gap-x-3 text-sm text-ink-soft tabular-nums">
        <span className="min-w-0 flex-1">{text}</span>
        {full && (
          <span className="font-medium text-danger">
            {share >= 1 ? t('storage.full') : t('storage.nearlyFull')}
          </span>
        )}
        {action}
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
