'use client'

import { formatBytes } from '@pigeonhole/client/format'
import { ProgressBar } from '../components/progress-bar.tsx'
import type { Usage } from './use-file-queries.ts'

/** The share of the quota from which the meter turns red. */
const NEARLY_FULL = 0.9

/** How much of the quota is used, and how much is reserved by uploads in progress. */
export function QuotaMeter({ usage: { used, reserved, quota } }: { usage: Usage }) {
  const share = quota === 0 ? 1 : used / quota
  const full = quota === 0 || (used + reserved) / quota >= NEARLY_FULL
  const text = `${formatBytes(used)} of ${formatBytes(quota)} used`
  const reservedText = reserved > 0 ? `${formatBytes(reserved)} reserved for uploads in progress` : ''
  return (
    <div className="w-full sm:w-64">
      <p className="mb-1.5 flex justify-between gap-3 text-sm text-ink-soft tabular-nums">
        <span>{text}</span>
        {full && <span className="font-medium text-danger">{share >= 1 ? 'Full' : 'Nearly full'}</span>}
      </p>
      <ProgressBar
        role="meter"
        label="Storage"
        value={share}
        secondaryValue={quota === 0 ? 0 : reserved / quota}
        valueText={reservedText ? `${text}, ${reservedText}` : text}
        tone={full ? 'danger' : 'accent'}
      />
    </div>
  )
}
