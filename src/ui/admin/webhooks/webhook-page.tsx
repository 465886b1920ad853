'use client'

import type { Webhook } from '@pigeonhole/client/admin'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../components/card.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { AdminItemPage } from '../admin-item-page.tsx'
import { ADMIN_KEYS } from '../keys.ts'
import { DeliveriesCard } from './deliveries-card.tsx'
import { useWebhookChange } from './use-webhook-change.ts'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookBadge } from './webhook-badge.tsx'
import { WebhookCard } from './webhook-card.tsx'
import { WebhookForm } from './webhook-form.tsx'

/** A webhook and its deliveries. */
export function WebhookPage({ id }: { id: string }) {
  const { t } = useMessages()
  const onChanged = useWebhookChange()
  const [isEditing, setEditing] = useState(false)
  const query = useQuery({
    queryKey: ADMIN_KEYS.webhook(id),
    queryFn: ({ signal }) => admin.webhooks.find(id, signal),
    refetchOnWindowFocus: false,
  })
  return (
    <AdminItemPage<Webhook>
      list="/admin/webhooks"
      texts={{
        list: 'admin.webhooks.back',
        one: 'admin.webhooks.one',
        notFound: 'admin.webhooks.notFound',
        notFoundText: 'admin.webhooks.notFoundText',
      }}
      query={query}
      heading={({ url }) => new URL(url).host}
      badges={(webhook) => <WebhookBadge webhook={webhook} />}
      actions={(webhook) => (
        <WebhookActions webhook={webhook} isEditing={isEditing} onEdit={() => setEditing(true)} />
      )}
    >
      {(webhook) => (
        <>
          {isEditing ? (
            <Card title={t('admin.webhooks.edit')}>
              <WebhookForm
                webhook={webhook}
                submitLabel={t('admin.webhooks.save')}
                // A new URL needs a recent sign-in.
                save={(fields) =>
                  admin.webhooks.update(id, {
                    ...fields,
                    url: fields.url === webhook.url ? undefined : fields.url,
                  })
                }
                onSaved={(changed) => {
                  setEditing(false)
                  void onChanged(changed, t('admin.webhooks.saved'))
                }}
                onCancel={() => setEditing(false)}
              />
            </Card>
          ) : (
            <WebhookCard webhook={webhook} />
          )}
          <DeliveriesCard webhook={webhook} />
        </>
      )}
    </AdminItemPage>
  )
}
