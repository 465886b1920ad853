import type { AdminBroadcast } from '@pigeonhole/client/admin'
import clsx from 'clsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { isSending } from './broadcast-status.ts'

type BroadcastProgressProps = { broadcast: AdminBroadcast; className?: string }

/** Number of devices that a broadcast has processed, with a bar. Renders nothing before it starts and after it ends. */
export function BroadcastProgress({ broadcast, className }: BroadcastProgressProps) {
  const { t } = useMessages()
  const { status, sent, failed, removed, remaining, toAll } = broadcast
  if (!isSending(status)) return null
  const processed = sent + failed + removed
  const total = processed + remaining
  const left = t('admin.broadcasts.left', { count: remaining })
  return (
    <div
      className={clsx(
        'flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-ink-soft tabular-nums',
        className,
      )}
    >
      <ProgressBar
        label={t('admin.broadcasts.progress', { title: broadcast.title ?? t('admin.broadcasts.silent') })}
        value={total === 0 ? 0 : processed / total}
        className="flex-1 basis-32"
        valueText={left}
      />
      {/* The devices of a broadcast to everyone are counted when they are sent to. Until then, there is only a maximum. */}
      {total > 0 && (toAll ? left : t('delivery.progress', { processed, count: total }))}
    </div>
  )
}
