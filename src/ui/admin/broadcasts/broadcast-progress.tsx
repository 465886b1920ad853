import type { AdminBroadcast } from '@pigeonhole/client/admin'
import clsx from 'clsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { isSending } from './broadcast-status.ts'

type BroadcastProgressProps = { broadcast: AdminBroadcast; className?: string }

/** Share of devices that a broadcast has processed. Renders nothing before it starts and after it ends. */
export function BroadcastProgress({ broadcast, className }: BroadcastProgressProps) {
  const { t, format } = useMessages()
  const { status, sent, failed, removed, remaining } = broadcast
  if (!isSending(status)) return null
  const processed = sent + failed + removed
  const share = processed + remaining === 0 ? 0 : processed / (processed + remaining)
  return (
    <div className={clsx('flex items-center gap-3 text-sm text-ink-soft tabular-nums', className)}>
      <ProgressBar
        label={t('admin.broadcasts.progress', { title: broadcast.title ?? t('admin.broadcasts.silent') })}
        value={share}
        className="flex-1"
        valueText={t('admin.broadcasts.left', { count: remaining })}
      />
      {format.percent(share)}
    </div>
  )
}
