import type { Webhook } from '@pigeonhole/client/admin'
import clsx from 'clsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'

/** Share of a webhook's newest finished deliveries that succeeded, rounded down, so that 100% has no failure, with a meter. There must be one. */
export function SuccessRate({ webhook: { recent } }: { webhook: Webhook }) {
  const { t, format } = useMessages()
  const count = recent.delivered + recent.failed
  const share = Math.floor((recent.delivered * 100) / count) / 100
  const percent = format.percent(share)
  const ofFinished = t('admin.webhooks.ofFinished', { count })
  return (
    <span className="tabular-nums">
      <span className={clsx('block', recent.failed > 0 && 'font-medium text-danger')}>{percent}</span>
      <ProgressBar
        role="meter"
        label={t('admin.webhooks.delivered')}
        value={share}
        valueText={`${percent} ${ofFinished}`}
        className="my-1 w-20"
      />
      <span className="block font-normal text-ink-soft hyphens-auto">{ofFinished}</span>
    </span>
  )
}
