import type { WebhookDelivery } from '@pigeonhole/client/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { ADMIN_KEYS } from '../keys.ts'

const STATUS: Record<WebhookDelivery['status'], { label: PlainMessageKey; tone: BadgeTone }> = {
  pending: { label: 'admin.webhooks.pending', tone: 'neutral' },
  delivered: { label: 'admin.webhooks.delivered', tone: 'good' },
  failed: { label: 'admin.webhooks.failed', tone: 'bad' },
}

type DeliveryRowProps = { webhookId: string; delivery: WebhookDelivery; canRedeliver: boolean }

export function DeliveryRow({ webhookId, delivery, canRedeliver }: DeliveryRowProps) {
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const queries = useQueryClient()
  const { id, type, sequence, status, attempts, createdAt, nextAttemptAt, httpStatus, failure } = delivery
  const redeliver = useMutation({
    mutationFn: () => admin.webhooks.redeliver(webhookId, id),
    onSuccess: () => {
      announce(t('admin.webhooks.redelivering'))
      return queries.invalidateQueries({ queryKey: ADMIN_KEYS.deliveries(webhookId) })
    },
  })
  const response = failure ?? (httpStatus === null ? null : `HTTP ${httpStatus}`)
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          {type}
          {type === 'webhook.test' && <Badge>{t('admin.webhooks.testBadge')}</Badge>}
          <Badge tone={STATUS[status].tone}>{t(STATUS[status].label)}</Badge>
        </p>
        <p className="text-sm text-ink-soft tabular-nums">
          {`#${sequence} · `}
          <LocalTime at={createdAt} /> · {t('admin.webhooks.attempts', { count: attempts })}
          {response && (
            <>
              {' · '}
              <code className="text-xs">{response}</code>
            </>
          )}
        </p>
        {status === 'pending' && attempts > 0 && nextAttemptAt && (
          <p className="text-sm text-ink-soft tabular-nums">
            {t.rich('admin.webhooks.nextAttempt', {
              time: nextAttemptAt,
              when: () => <LocalTime at={nextAttemptAt} />,
            })}
          </p>
        )}
      </div>
      {canRedeliver && (
        <Button
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
