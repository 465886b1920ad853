import type { AdminBroadcast } from '@pigeonhole/client/admin'
import { Badge } from '../../components/badge.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { admin } from '../admin-client.ts'
import { BROADCAST_STATUS, reasonsOf, targetOf } from './broadcast-status.ts'
import { FailedDevices } from './failed-devices.tsx'

type BroadcastRowProps = { broadcast: AdminBroadcast; canCancel: boolean; onCancelled(): void }

export function BroadcastRow({ broadcast, canCancel, onCancelled }: BroadcastRowProps) {
  const { t, format } = useMessages()
  const { id, status, audience, sent, failed, removed, failures, remaining, sendAt, pushToken } = broadcast
  const title = broadcast.title ?? t('admin.broadcasts.silent')
  const processed = sent + failed + removed
  const share = processed + remaining === 0 ? 0 : processed / (processed + remaining)
  const when = sendAt ?? broadcast.createdAt
  return (
    <li className="px-4 py-4 sm:px-5">
      <div className="flex items-start justify-between gap-x-4">
        <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          <bdi className="min-w-0 wrap-anywhere">{title}</bdi>
          <Badge tone={BROADCAST_STATUS[status].tone}>{t(BROADCAST_STATUS[status].label)}</Badge>
        </p>
        {canCancel && (
          <DeleteButton
            label={t('admin.broadcasts.cancel')}
            title={t('admin.broadcasts.cancelTitle')}
            description={t.rich('admin.broadcasts.cancelText', {
              message: title,
              name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
            })}
            confirmLabel={t('admin.broadcasts.cancelConfirm')}
            cancelLabel={t('admin.broadcasts.keep')}
            doneText={t('admin.broadcasts.cancelled')}
            expectedErrors={{ CONFLICT: 'admin.broadcasts.tooLate' }}
            onConfirm={() => admin.broadcasts.cancel(id)}
            onDeleted={onCancelled}
          />
        )}
      </div>
      <p className="text-sm text-ink-soft tabular-nums">
        {targetOf(broadcast, t)} · {broadcast.apps && `${broadcast.apps.join(', ')} · `}
        <bdi>{broadcast.category}</bdi> ·{' '}
        {status === 'scheduled' ? (
          t.rich('admin.broadcasts.sendsAt', { time: when, when: () => <LocalTime at={when} /> })
        ) : (
          <LocalTime at={when} />
        )}
        {pushToken && (
          <>
            {' · '}
            {t.rich('admin.broadcasts.by', {
              token: pushToken.name,
              link: (text) => (
                <AppLink
                  href={`/admin/users/${pushToken.userId}`}
                  className="relative inline-block py-1 text-accent underline"
                >
                  <bdi>{text}</bdi>
                </AppLink>
              ),
            })}
          </>
        )}
      </p>
      {status !== 'scheduled' && (
        <p className="mt-1 text-sm tabular-nums">
          {t('delivery.audienceAndCounts', { ...audience, sent, failed, removed })}
        </p>
      )}
      {canCancel && status !== 'scheduled' && (
        <div className="mt-2 flex max-w-md items-center gap-3 text-sm text-ink-soft tabular-nums">
          <ProgressBar
            label={t('admin.broadcasts.progress', { title })}
            value={share}
            className="flex-1"
            valueText={t('admin.broadcasts.left', { count: remaining })}
          />
          {format.percent(share)}
        </div>
      )}
      {failures.length > 0 && (
        <ul aria-label={t('admin.broadcasts.reasons')} className="mt-2 text-sm text-ink-soft">
          {reasonsOf(failures).map(({ reason, count }) => (
            <li key={reason}>
              <code className="text-xs">{reason}</code> × {count}
            </li>
          ))}
        </ul>
      )}
      {failed > 0 && <FailedDevices id={id} failed={failed} />}
    </li>
  )
}
