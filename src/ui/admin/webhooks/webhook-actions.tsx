import type { Webhook } from '@pigeonhole/client/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useFocusOnClose } from '../../components/use-focus-on-close.ts'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { useWebhookChange } from './use-webhook-change.ts'

type WebhookActionsProps = { webhook: Webhook; isEditing: boolean; onEdit(): void }

/** Buttons that test, change and deactivate a webhook. */
export function WebhookActions({ webhook: { id, active }, isEditing, onEdit }: WebhookActionsProps) {
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const queries = useQueryClient()
  const onChanged = useWebhookChange()
  const editButton = useFocusOnClose(isEditing)
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
  return (
    <div className="flex flex-wrap items-center gap-2 sm:ml-auto">
      {active && (
        <Button busy={test.isPending} onClick={() => test.mutate()}>
          {t('admin.webhooks.test')}
        </Button>
      )}
      {!isEditing && (
        <Button ref={editButton} onClick={onEdit}>
          {t('admin.webhooks.edit')}
        </Button>
      )}
      <Button
        variant={active ? undefined : 'primary'}
        busy={change.isPending}
        onClick={() => change.mutate()}
      >
        {active ? t('admin.webhooks.deactivate') : t('admin.webhooks.activate')}
      </Button>
      <ErrorNotice error={change.error ?? test.error} className="w-full" />
    </div>
  )
}
