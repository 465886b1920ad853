import type { Webhook } from '@pigeonhole/client/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, Pause, Pencil, Send, Trash2 } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useRef, useState } from 'react'
import { Breakable } from '../../components/breakable.tsx'
import { Button } from '../../components/button.tsx'
import { DeleteDialog } from '../../components/delete-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Menu, MenuDivider, MenuItem } from '../../components/menu.tsx'
import { useFocusOnClose } from '../../components/use-focus-on-close.ts'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { useWebhookChange } from './use-webhook-change.ts'

type WebhookActionsProps = { webhook: Webhook; isEditing: boolean; onEdit(): void }

/** The usual action on a webhook as a button, and the others in a menu. An inactive webhook can be activated. */
export function WebhookActions({ webhook, isEditing, onEdit }: WebhookActionsProps) {
  const { id, active } = webhook
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const queries = useQueryClient()
  const onChanged = useWebhookChange()
  const editButton = useFocusOnClose(isEditing && active)
  const menuButton = useFocusOnClose(isEditing && !active)
  const activateButton = useRef<HTMLButtonElement>(null)
  const [isDeleting, setDeleting] = useState(false)
  const change = useMutation({
    mutationFn: () => admin.webhooks.update(id, { active: !active }),
    onSuccess: (changed) => {
      // The button that activates disappears.
      if (document.activeElement === activateButton.current) menuButton.current?.focus()
      return onChanged(changed, t(changed.active ? 'admin.webhooks.activated' : 'admin.webhooks.deactivated'))
    },
  })
  const test = useMutation({
    mutationFn: () => admin.webhooks.test(id),
    onSuccess: () => {
      announce(t('admin.webhooks.testSent'))
      return queries.invalidateQueries({ queryKey: ADMIN_KEYS.deliveries(id) })
    },
  })
  return (
    <div
      aria-busy={test.isPending || change.isPending}
      className="flex flex-wrap items-center gap-2 aria-busy:opacity-60 sm:ml-auto"
    >
      {!active && (
        <Button
          ref={activateButton}
          variant="primary"
          busy={change.isPending}
          onClick={() => change.mutate()}
        >
          {t('admin.webhooks.activate')}
        </Button>
      )}
      {active && !isEditing && (
        <Button ref={editButton} onClick={onEdit}>
          {t('admin.webhooks.edit')}
        </Button>
      )}
      <Menu label={t('admin.users.more')} icon={Ellipsis} buttonRef={menuButton}>
        {active ? (
          <>
            <MenuItem icon={Send} onClick={() => !test.isPending && test.mutate()}>
              {t('admin.webhooks.test')}
            </MenuItem>
            <MenuItem icon={Pause} onClick={() => !change.isPending && change.mutate()}>
              {t('admin.webhooks.deactivate')}
            </MenuItem>
            <MenuDivider />
          </>
        ) : (
          !isEditing && (
            <>
              <MenuItem icon={Pencil} onClick={onEdit}>
                {t('admin.webhooks.edit')}
              </MenuItem>
              <MenuDivider />
            </>
          )
        )}
        <MenuItem icon={Trash2} danger onClick={() => setDeleting(true)}>
          {t('admin.webhooks.delete')}
        </MenuItem>
      </Menu>
      <ErrorNotice error={change.error ?? test.error} className="w-full" />
      {isDeleting && (
        <DeleteWebhookDialog
          webhook={webhook}
          opener={menuButton.current}
          onClose={() => setDeleting(false)}
        />
      )}
    </div>
  )
}

type DialogProps = { webhook: Webhook; opener: HTMLElement | null; onClose(): void }

function DeleteWebhookDialog({ webhook: { id, url }, ...dialog }: DialogProps) {
  const { t } = useMessages()
  const queries = useQueryClient()
  const router = useRouter()
  return (
    <DeleteDialog
      title={t('admin.webhooks.deleteTitle')}
      description={t.rich('admin.webhooks.deleteText', {
        url,
        name: () => (
          <bdi className="font-medium wrap-anywhere text-ink">
            <Breakable>{url}</Breakable>
          </bdi>
        ),
      })}
      confirmLabel={t('admin.webhooks.delete')}
      onConfirm={() => admin.webhooks.delete(id)}
      onDeleted={() => {
        void queries.invalidateQueries({ queryKey: ADMIN_KEYS.webhooks })
        router.push('/admin/webhooks')
      }}
      {...dialog}
    />
  )
}
