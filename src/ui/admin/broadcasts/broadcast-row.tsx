import type { AdminBroadcast } from '@pigeonhole/client/admin'
import clsx from 'clsx'
import { Badge } from '../../components/badge.tsx'
import { DottedParts } from '../../components/dotted-parts.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { STATUS_TONE } from '../../messages/delivery-summary.ts'
import { Cell, EmptyCell } from '../columns.tsx'
import { BroadcastProgress } from './broadcast-progress.tsx'
import { BROADCAST_GRID, BROADCAST_STATUS, targetOf } from './broadcast-status.ts'
import { CancelBroadcast } from './cancel-broadcast.tsx'

type BroadcastRowProps = { broadcast: AdminBroadcast; onCancelled(): void }

export function BroadcastRow({ broadcast, onCancelled }: BroadcastRowProps) {
  const { t } = useMessages()
  const { id, status, sent, failed, removed, sendAt, pushToken } = broadcast
  const when = sendAt ?? broadcast.createdAt
  const isScheduled = status === 'scheduled'
  const wasPlanned = status === 'cancelled' && sendAt !== null && sent + failed + removed === 0
  return (
    <li
      className={clsx(
        // Before there are columns, the status and the button are at the right edge.
        'grid items-start gap-x-4 gap-y-1 px-4 py-3 max-lg:grid-cols-[minmax(0,1fr)_auto] sm:px-5 lg:items-center',
        BROADCAST_GRID,
      )}
    >
      <div className="min-w-0 max-lg:contents">
        <AppLink
          href={`/admin/broadcasts/${id}`}
          className="relative justify-self-start inline-flex min-h-6 max-w-full items-center font-medium text-accent underline pointer-coarse:after:absolute pointer-coarse:after:-inset-x-2 pointer-coarse:after:-inset-y-2"
        >
          <bdi className="min-w-0 wrap-anywhere">{broadcast.title ?? t('admin.broadcasts.silent')}</bdi>
        </AppLink>
        <p className="text-sm text-ink-soft tabular-nums max-lg:col-span-2">
          <DottedParts
            parts={[
              isScheduled || wasPlanned ? (
                t.rich(wasPlanned ? 'sent.wasPlanned' : 'delivery.scheduledFor', {
                  time: when,
                  when: () => <LocalTime at={when} />,
                })
              ) : (
                <LocalTime key="when" at={when} />
              ),
              ...(pushToken
                ? [
                    <bdi
                      key="token"
                      title={pushToken.name}
                      className="inline-block max-w-full truncate align-bottom"
                    >
                      {t('admin.broadcasts.by', { token: pushToken.name })}
                    </bdi>,
                  ]
                : []),
            ]}
          />
        </p>
        <BroadcastProgress
          broadcast={broadcast}
          className="max-w-md max-lg:col-span-2 max-lg:w-full lg:mt-2"
        />
      </div>
      <Cell
        label={t('admin.status')}
        isPlain
        className="max-lg:col-start-2 max-lg:pt-0.5 max-lg:row-start-1 max-lg:justify-self-end"
      >
        <Badge tone={STATUS_TONE[status]}>{t(BROADCAST_STATUS[status])}</Badge>
      </Cell>
      <div className="flex flex-wrap gap-x-3 gap-y-1 max-sm:col-span-2 sm:gap-x-4 lg:contents">
        <Cell label={t('admin.broadcasts.to')} className="max-sm:w-full">
          <bdi className="wrap-anywhere">{targetOf(broadcast, t)}</bdi>
        </Cell>
        {isScheduled || wasPlanned ? (
          // Nothing was counted.
          <>
            <EmptyCell label={t('admin.broadcasts.sent')} isNumber />
            <EmptyCell label={t('admin.broadcasts.failed')} isNumber />
            <EmptyCell label={t('admin.broadcasts.removed')} isNumber />
          </>
        ) : (
          <>
            <Cell label={t('admin.broadcasts.sent')} isNumber>
              <Count value={sent} />
            </Cell>
            <Cell label={t('admin.broadcasts.failed')} isNumber>
              <Count value={failed} isBad />
            </Cell>
            <Cell label={t('admin.broadcasts.removed')} isNumber>
              <Count value={removed} />
            </Cell>
          </>
        )}
      </div>
      {/* Its text, not its area, is at the edge of the row. */}
      <div className="-my-1.5 -mx-4 flex max-sm:col-span-2 sm:justify-end sm:max-lg:self-end">
        <CancelBroadcast broadcast={broadcast} variant="quiet" onCancelled={onCancelled} />
      </div>
    </li>
  )
}

/** A count, which stands out unless it is zero. */
function Count({ value, isBad }: { value: number; isBad?: boolean }) {
  const { format } = useMessages()
  const color = value === 0 ? 'text-ink-soft' : isBad ? 'font-medium text-danger' : 'font-medium'
  return <span className={color}>{format.number(value)}</span>
}
