import type { Webhook, WebhookDelivery } from '@pigeonhole/client/admin'
import { useQueryClient } from '@tanstack/react-query'
import { Inbox } from 'lucide-react'
import { Card } from '../../components/card.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { ListFilters } from '../filters/list-filters.tsx'
import { NoMatches } from '../filters/no-matches.tsx'
import { useListFilter } from '../filters/use-list-filter.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { DeliveryRow } from './delivery-row.tsx'

/** Refresh interval while an event is being delivered. */
const REFRESH_MS = 3_000
/** Longer than the lease of an attempt, which is the next attempt's earliest time until the attempt ends. */
const SOON_MS = 40_000
const FIELDS = { status: ['pending', 'delivered', 'failed'] } as const

/** Returns true if an attempt is due soon or in progress. A retry can be hours away. */
const isDue = ({ status, nextAttemptAt }: WebhookDelivery) =>
  status === 'pending' && nextAttemptAt !== null && Date.parse(nextAttemptAt) < Date.now() + SOON_MS

/** A webhook's deliveries, newest first. */
export function DeliveriesCard({ webhook: { id, active, lastAttempt } }: { webhook: Webhook }) {
  const { t } = useMessages()
  const queries = useQueryClient()
  const filters = useListFilter(FIELDS)
  const status = filters.filter.status as WebhookDelivery['status'] | undefined
  async function fetchPage(cursor: string | undefined, signal: AbortSignal) {
    const page = await admin.webhooks.deliveries(id, { cursor, status }, signal)
    const isNewer = ({ lastAttemptAt }: WebhookDelivery) =>
      lastAttemptAt !== null && lastAttemptAt > (lastAttempt?.at ?? '')
    // The webhook's page and the list show the latest attempt too.
    if (page.items.some(isNewer))
      for (const queryKey of [ADMIN_KEYS.webhook(id), ADMIN_KEYS.webhooks])
        void queries.invalidateQueries({ queryKey })
    return page
  }
  return (
    <Card title={t('admin.webhooks.deliveries')}>
      <PagedList
        label={t('admin.webhooks.deliveries')}
        queryKey={[...ADMIN_KEYS.deliveries(id), status]}
        fetchPage={fetchPage}
        refetchMs={(items) => (active && items.some(isDue) ? REFRESH_MS : false)}
        count={(count) => t('admin.webhooks.deliveryCount', { count })}
        filters={(result) => (
          <ListFilters
            label={t('admin.webhooks.show')}
            filters={filters}
            choice={{
              name: 'status',
              label: t('admin.status'),
              any: t('admin.anyStatus'),
              options: [
                { value: 'pending', label: t('admin.webhooks.pending') },
                { value: 'delivered', label: t('admin.webhooks.delivered') },
                { value: 'failed', label: t('admin.webhooks.failed') },
              ],
            }}
            status={result}
          />
        )}
        row={(delivery) => (
          <DeliveryRow key={delivery.id} webhookId={id} delivery={delivery} canRedeliver={active} />
        )}
        empty={
          filters.isActive ? (
            <NoMatches title={t('admin.webhooks.noMatches')} onClear={filters.clear} />
          ) : (
            <EmptyState icon={Inbox} title={t('admin.webhooks.noDeliveries')}>
              {t('admin.webhooks.noDeliveriesText')}
            </EmptyState>
          )
        }
      />
    </Card>
  )
}
