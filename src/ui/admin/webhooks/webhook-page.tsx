'use client'

import { useQuery } from '@tanstack/react-query'
import { admin } from '../admin-client.ts'
import { AdminItemPage } from '../admin-item-page.tsx'
import { ADMIN_KEYS } from '../keys.ts'
import { DeliveriesCard } from './deliveries-card.tsx'
import { WebhookBadge } from './webhook-badge.tsx'
import { WebhookCard } from './webhook-card.tsx'

/** A webhook and its deliveries. */
export function WebhookPage({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ADMIN_KEYS.webhook(id),
    queryFn: ({ signal }) => admin.webhooks.find(id, signal),
    refetchOnWindowFocus: false,
  })
  return (
    <AdminItemPage
      list="/admin/webhooks"
      texts={{ list: 'admin.webhooks.back', one: 'admin.webhooks.one', notFound: 'admin.webhooks.notFound' }}
      query={query}
      heading={({ url }) => new URL(url).host}
      badges={(webhook) => <WebhookBadge webhook={webhook} />}
    >
      {(webhook) => (
        <>
          <WebhookCard webhook={webhook} />
          <DeliveriesCard webhook={webhook} />
        </>
      )}
    </AdminItemPage>
  )
}
