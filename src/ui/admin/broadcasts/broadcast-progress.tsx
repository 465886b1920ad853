import type { AdminBroadcast } from '@pigeonhole/client/admin'
import clsx from 'clsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { isSending } from './broadcast-status.ts'

type BroadcastProgressProps = { broadcast: AdminBroadcast; className?: string }

/** Share of devices that a broadcast has processed, with a bar and the number left. Renders nothing before it starts and after it ends. */
export function BroadcastProgress({ broadcast, className }: BroadcastProgressProps) {
  const { t, format } = useMessages()
  const { status, sent, failed, removed, remaining, toAll } = broadcast
  if (!isSending(status)) return null
  const processed = sent + failed + removed
  const total = processed + remaining
  // Rounded down, so that 100% has no device left.
  const share = total === 0 ? 0 : Math.floor((processed * 100) / total) / 100
  const left = t('admin.broadcasts.left', { count: remaining })
  return (
    <div
      className={clsx(
        'flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-ink-soft tabular-nums',
        className,
      )}
    >
      {/* The bar tells screen readers. */}
      {total > 0 && (
        <span aria-hidden="true" className="font-semibold text-ink">
          {format.percent(share)}
        </span>
      )}
      <ProgressBar
        label={t('admin.broadcasts.progress', { title: broadcast.title ?? t('admin.broadcasts.silent') })}
        value={total === 0 ? 0 : processed / total}
        className="flex-1 basis-32"
        valueText={total === 0 ? format.percent(0) : `${format.percent(share)}, ${left}`}
      />
      {/* The devices of a broadcast to everyone are counted when they are sent to. Until then, there is only a maximum. */}
      {total > 0 && (toAll ? left : t('delivery.progress', { processed, count: total }))}
    </div>
  )
}
