import type { WebhookDelivery } from '@pigeonhole/client/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import clsx from 'clsx'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyableCode } from '../../components/copy-button.tsx'
import { DetailList } from '../../components/detail-list.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { AttemptList } from './attempt-list.tsx'
import { failureText, responseText } from './response-text.ts'

const STATUS: Record<WebhookDelivery['status'], { label: PlainMessageKey; tone: BadgeTone }> = {
  pending: { label: 'admin.webhooks.pending', tone: 'neutral' },
  delivered: { label: 'admin.webhooks.delivered', tone: 'usual' },
  failed: { label: 'admin.webhooks.failed', tone: 'bad' },
}

/** Replaces the status of a pending delivery once an attempt has failed. */
const RETRYING = { label: 'admin.webhooks.retrying', tone: 'warning' } as const

type DeliveryRowProps = { webhookId: string; delivery: WebhookDelivery; canRedeliver: boolean }

export function DeliveryRow({ webhookId, delivery, canRedeliver }: DeliveryRowProps) {
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const queries = useQueryClient()
  const { id, type, sequence, status, attempts, createdAt, nextAttemptAt } = delivery
  const redeliver = useMutation({
    mutationFn: () => admin.webhooks.redeliver(webhookId, id),
    onSuccess: () => {
      announce(t('admin.webhooks.redelivering'))
      return queries.invalidateQueries({ queryKey: ADMIN_KEYS.deliveries(webhookId) })
    },
  })
  const response = responseText(delivery, t)
  const { label, tone } = status === 'pending' && attempts > 0 ? RETRYING : STATUS[status]
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-4 py-3 sm:px-5">
      <details className="group min-w-0 flex-1 basis-64">
        {/* The results of all deliveries are in one column. On phones, each is above its event, with the time. */}
        <summary className="grid cursor-pointer list-none grid-cols-[1rem_minmax(0,1fr)] items-start gap-x-2 rounded-lg sm:grid-cols-[1rem_8rem_minmax(0,1fr)_auto]">
          <ChevronRight
            aria-hidden="true"
            className="mt-1 size-4 shrink-0 text-ink-soft transition-transform group-open:rotate-90 motion-reduce:transition-none"
          />
          <div className="flex flex-wrap items-center justify-between gap-x-2 sm:contents">
            <span className="flex min-h-6 items-center">
              <Badge tone={tone}>{t(label)}</Badge>
            </span>
            <p className="text-sm leading-6 text-ink-soft tabular-nums sm:col-start-4 sm:row-start-1">
              <LocalTime at={createdAt} />
            </p>
          </div>
          <div className="min-w-0 max-sm:col-start-2 sm:col-start-3 sm:row-start-1">
            <p className="flex flex-wrap items-center gap-x-2 font-medium">
              {type}
              <span className="text-sm font-normal text-ink-soft tabular-nums">{`#${sequence}`}</span>
              {type === 'webhook.test' && <Badge>{t('admin.webhooks.testBadge')}</Badge>}
            </p>
            <p className="text-sm tabular-nums max-sm:flex max-sm:flex-wrap max-sm:gap-x-2.5">
              {response && <span className={clsx(tone === 'bad' && 'text-danger')}>{response}</span>}{' '}
              {/* The dot is never alone at the end or start of a line. */}
              <span className="whitespace-nowrap text-ink-soft">
                {response && <span className="max-sm:hidden">· </span>}
                {t('admin.webhooks.attempts', { count: attempts })}
              </span>
            </p>
            {status === 'pending' && attempts > 0 && nextAttemptAt && (
              <p className="text-sm text-ink-soft tabular-nums first-letter:uppercase">
                {t.rich('admin.webhooks.nextAttempt', {
                  time: nextAttemptAt,
                  when: () => <LocalTime at={nextAttemptAt} />,
                })}
              </p>
            )}
          </div>
        </summary>
        <DeliveryDetails delivery={delivery} />
      </details>
      {canRedeliver && (
        <Button
          // Below the event on phones. The text of a button without a border is below that of the event.
          className={status === 'delivered' ? 'max-sm:ml-2' : 'max-sm:ml-6'}
          variant={status === 'delivered' ? 'ghost' : 'secondary'}
          aria-label={t('admin.webhooks.redeliverEvent', { type, sequence })}
          busy={redeliver.isPending}
          onClick={() => redeliver.mutate()}
        >
          {t('admin.webhooks.redeliver')}
        </Button>
      )}
      <ErrorNotice error={redeliver.error} className="w-full" />
    </li>
  )
}

/** The event as it was sent, and what is kept of the attempts. */
function DeliveryDetails({ delivery }: { delivery: WebhookDelivery }) {
  const { t, format } = useMessages()
  const { id, type, sequence, data, createdAt, attempts, lastAttemptAt, httpStatus, history } = delivery
  const time = (at: string | null) => at && <LocalTime at={at} />
  const noResponse = attempts > 0 ? t('admin.webhooks.noResponse') : null
  // Attempts of an earlier version are not in the history.
  const lastAttempt: [string, ReactNode][] =
    history.length > 0
      ? []
      : [
          [t('admin.webhooks.attemptCount'), format.number(attempts)],
          [t('admin.webhooks.lastAttempt'), time(lastAttemptAt)],
          [t('admin.webhooks.response'), httpStatus === null ? noResponse : `HTTP ${httpStatus}`],
          [t('admin.webhooks.failure'), failureText(delivery, t)],
        ]
  const body = JSON.stringify({ type, timestamp: createdAt, sequence, data }, null, 2)
  return (
    <div className="mt-2 space-y-3 pl-6">
      <div className="-mx-4 sm:-mx-5">
        <DetailList
          details={[
            [t('admin.webhooks.occurred'), time(createdAt)],
            ...lastAttempt,
            [
              t('admin.webhooks.eventId'),
              <CopyableCode key="id" code={id} label={t('admin.files.copyId')} />,
            ],
          ]}
        />
      </div>
      {history.length > 0 && <AttemptList history={history} />}
      <Snippet label={t('admin.webhooks.payload')} code={body} wrap />
      <p className="text-sm text-ink-soft">{t('admin.webhooks.keptText')}</p>
    </div>
  )
}
