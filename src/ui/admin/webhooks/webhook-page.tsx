'use client'

import { useQuery } from '@tanstack/react-query'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { admin } from '../admin-client.ts'
import { AdminHeading } from '../admin-heading.tsx'
import { ADMIN_KEYS } from '../keys.ts'
import { DeliveriesCard } from './deliveries-card.tsx'
import { WebhookBadge } from './webhook-badge.tsx'
import { WebhookCard } from './webhook-card.tsx'

/** A webhook and its deliveries. */
export function WebhookPage({ id }: { id: string }) {
  const { t } = useMessages()
  const { data: webhook, error } = useQuery({
    queryKey: ADMIN_KEYS.webhook(id),
    queryFn: ({ signal }) => admin.webhooks.find(id, signal),
    refetchOnWindowFocus: false,
  })
  return (
    <div className="space-y-6">
      <AppLink href="/admin/webhooks" className="relative inline-block py-2 text-sm text-accent underline">
        {t('admin.webhooks.back')}
      </AppLink>
      {!webhook && <AdminHeading>{t('admin.webhooks.one')}</AdminHeading>}
      <ErrorNotice error={error} expected={{ NOT_FOUND: 'admin.webhooks.notFound' }} />
      {!webhook && !error && <Loading />}
      {webhook && (
        <>
          <div className="flex flex-wrap items-center gap-3">
            <AdminHeading>{new URL(webhook.url).host}</AdminHeading>
            <WebhookBadge webhook={webhook} />
          </div>
          <WebhookCard webhook={webhook} />
          <DeliveriesCard webhook={webhook} />
        </>
      )}
    </div>
  )
}
