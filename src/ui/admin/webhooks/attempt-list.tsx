import type { WebhookDelivery } from '@pigeonhole/client/admin'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { failureText } from './response-text.ts'

/** The attempts that are kept of a delivery, newest first: result, time and duration of each. */
export function AttemptList({ history }: { history: WebhookDelivery['history'] }) {
  const { t, format } = useMessages()
  return (
    <section className="text-sm">
      <h3 className="font-semibold">{t('admin.webhooks.attemptCount')}</h3>
      <ol
        aria-label={t('admin.webhooks.attemptCount')}
        className="mt-2 divide-y divide-line rounded-lg border border-line"
      >
        {history.toReversed().map((attempt) => {
          const { at, httpStatus, failure, durationMs } = attempt
          const Icon = failure === null ? CircleCheck : CircleAlert
          const color = failure === null ? 'text-accent' : 'text-danger'
          return (
            <li key={`${at} ${durationMs}`} className="flex gap-2 px-3 py-2">
              <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${color}`} />
              {/* On phones, time and duration are below the reason. */}
              <div className="min-w-0 flex-1 sm:flex sm:gap-x-4">
                <p className="min-w-0 flex-1">
                  {httpStatus !== null && (
                    <span className="font-medium tabular-nums">{`HTTP ${httpStatus} `}</span>
                  )}
                  <span className={httpStatus === null ? 'font-medium' : 'text-ink-soft'}>
                    {failure === null ? t('admin.webhooks.delivered') : failureText(attempt, t)}
                  </span>
                </p>
                <p className="flex shrink-0 flex-wrap gap-x-2 text-ink-soft sm:gap-x-4 tabular-nums">
                  <LocalTime at={at} />{' '}
                  <span className="sm:w-20 sm:text-right">
                    {durationMs < 1000
                      ? t('admin.webhooks.duration', { ms: durationMs })
                      : t('admin.webhooks.seconds', { value: format.number(durationMs / 1000) })}
                  </span>
                </p>
              </div>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
