import type { Webhook } from '@pigeonhole/client/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Breakable } from '../../components/breakable.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { Notice } from '../../components/notice.tsx'
import { useFocusOnClose } from '../../components/use-focus-on-close.ts'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { EventList } from './event-list.tsx'
import { LastDelivery } from './last-delivery.tsx'
import { WebhookForm } from './webhook-form.tsx'

/** A webhook's URL, events and state, with buttons that change, test, deactivate and delete it. */
export function WebhookCard({ webhook }: { webhook: Webhook }) {
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const queries = useQueryClient()
  const router = useRouter()
  const { id, url, events, description, active, endedAt, failingSince } = webhook
  const [isEditing, setEditing] = useState(false)
  const editButton = useFocusOnClose(isEditing)
  function onChanged(changed: Webhook, news: string) {
    queries.setQueryData(ADMIN_KEYS.webhook(id), changed)
    announce(news)
    return queries.invalidateQueries({ queryKey: ADMIN_KEYS.webhooks })
  }
  const change = useMutation({
    mutationFn: () => admin.webhooks.update(id, { active: !active }),
    onSuccess: (changed) =>
      onChanged(changed, t(changed.active ? 'admin.webhooks.active' : 'admin.webhooks.inactive')),
  })
  const test = useMutation({
    mutationFn: () => admin.webhooks.test(id),
    onSuccess: () => {
      announce(t('admin.webhooks.testSent'))
      return queries.invalidateQueries({ queryKey: ADMIN_KEYS.deliveries(id) })
    },
  })
  if (isEditing)
    return (
      <Card title={t('admin.webhooks.edit')}>
        <WebhookForm
          webhook={webhook}
          submitLabel={t('admin.webhooks.save')}
          // A new URL needs a recent sign-in.
          save={(fields) =>
            admin.webhooks.update(id, { ...fields, url: fields.url === url ? undefined : fields.url })
          }
          onSaved={(changed) => {
            setEditing(false)
            void onChanged(changed, t('admin.webhooks.saved'))
          }}
          onCancel={() => setEditing(false)}
        />
      </Card>
    )
  return (
    <Card title={t('admin.webhooks.subscription')} description={description ?? undefined}>
      <div className="space-y-3 px-4 py-4 text-sm sm:px-5">
        <p>
          <code className="wrap-anywhere">
            <Breakable>{url}</Breakable>
          </code>
        </p>
        <EventList events={events} />
        <LastDelivery webhook={webhook} />
        {endedAt && (
          <Notice tone="warning" silent>
            {t.rich('admin.webhooks.endedText', { time: endedAt, when: () => <LocalTime at={endedAt} /> })}
          </Notice>
        )}
        {active && failingSince && (
          <Notice tone="warning" silent>
            {t.rich('admin.webhooks.failingText', {
              time: failingSince,
              when: () => <LocalTime at={failingSince} />,
            })}
          </Notice>
        )}
        <div className="flex flex-wrap gap-2 pt-1">
          <Button ref={editButton} onClick={() => setEditing(true)}>
            {t('admin.webhooks.edit')}
          </Button>
          {active && (
            <Button busy={test.isPending} onClick={() => test.mutate()}>
              {t('admin.webhooks.test')}
            </Button>
          )}
          <Button busy={change.isPending} onClick={() => change.mutate()}>
            {active ? t('admin.webhooks.deactivate') : t('admin.webhooks.activate')}
          </Button>
          <DeleteButton
            label={t('admin.webhooks.delete')}
            title={t('admin.webhooks.deleteTitle')}
            description={t('admin.webhooks.deleteText')}
            confirmLabel={t('admin.webhooks.delete')}
            onConfirm={() => admin.webhooks.delete(id)}
            onDeleted={() => {
              void queries.invalidateQueries({ queryKey: ADMIN_KEYS.webhooks })
              router.push('/admin/webhooks')
            }}
          />
        </div>
        <ErrorNotice error={change.error ?? test.error} />
      </div>
    </Card>
  )
}
