import clsx from 'clsx'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { audienceSize, platformCounts } from '../delivery-summary.ts'
import { COUNT_FAILED, type RecipientCount as Count } from './use-recipient-count.ts'

/** Says how many devices would receive the message. Screen readers read changes when idle. */
export function RecipientCount({ counted, devices, error, isCounting, isFetching, retry }: Count) {
  const { t } = useMessages()
  const count = counted ? audienceSize(counted.audience) : 0
  const unknown = counted?.unknownUserIds ?? []
  return (
    // Reserve the height, so that nothing moves when the count appears. It gets the focus from the removed button: in
    // a field, another Enter would send the message.
    <div role="status" aria-label={t('compose.reach')} tabIndex={-1} className="min-h-5 space-y-3 text-sm">
      {error && (
        <Notice
          tone="error"
          silent
          action={
            error === COUNT_FAILED && (
              <Button busy={isFetching} onClick={() => retry()}>
                {t('common.tryAgain')}
              </Button>
            )
          }
        >
          {t(error)}
        </Notice>
      )}
      {isCounting && <p className="text-ink-soft">{t('compose.counting')}</p>}
      {counted && count === 0 && (
        <Notice tone="warning" silent>
          {t('broadcast.noOne')}
        </Notice>
      )}
      {counted && count > 0 && (
        <p className={clsx('tabular-nums', devices === undefined && 'text-ink-soft')}>
          {t('compose.reaches', { count, platforms: platformCounts(counted.audience, t) })}
        </p>
      )}
      {unknown.length > 0 && (
        <Notice tone="warning" silent>
          {t('delivery.unknownUsers', { ids: unknown.join(', ') })}
        </Notice>
      )}
    </div>
  )
}
