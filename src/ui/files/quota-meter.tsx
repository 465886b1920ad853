'use client'

import { formatBytes } from '@pigeonhole/client/format'
import { Bar } from '../parts/bar.tsx'
import type { Usage } from './queries.ts'

/** From here on it is worth a colour. */
const NEARLY_FULL = 0.9

/** How much of the account's storage is taken: for good, and by uploads under way. */
export function QuotaMeter({ usage: { used, reserved, quota } }: { usage: Usage }) {
  const share = quota === 0 ? 1 : used / quota
  const full = quota === 0 || (used + reserved) / quota >= NEARLY_FULL
  const words = `${formatBytes(used)} of ${formatBytes(quota)} used`
  const underWay = reserved > 0 ? `${formatBytes(reserved)} reserved by uploads under way` : ''
  return (
    <div className="w-full sm:w-64">
      <p className="mb-1.5 flex justify-between gap-3 text-sm text-ink-soft tabular-nums">
        <span>{words}</span>
        {full && <span className="font-medium text-danger">{share >= 1 ? 'Full' : 'Nearly full'}</span>}
      </p>
      <Bar
        kind="meter"
        label="Storage"
        value={share}
        further={quota === 0 ? 0 : reserved / quota}
        text={underWay ? `${words}, ${underWay}` : words}
        tone={full ? 'danger' : 'accent'}
      />
    </div>
  )
}
