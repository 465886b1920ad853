import type { PushMessage } from '@pigeonhole/client/push'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { Notice } from '../../components/notice.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'

type BroadcastDialogProps = {
  /** Number of devices that would receive the message now. */
  devices: number
  message: PushMessage
  /** True if the user owns the push token. */
  toYou: boolean
  busy: boolean
  error: string | undefined
  attempt: number
  onConfirm(): void
  onCancel(): void
  onClosed(): void
}

/**
 * Asks before a message goes to all devices or to a topic, or is scheduled, and says to how many devices. "Cancel" has
 * the focus.
 */
export function BroadcastDialog({ devices, message, toYou, ...dialog }: BroadcastDialogProps) {
  const { t } = useMessages()
  const { title = t('sent.silent'), topic, sendAt, all, userId, userIds, apps } = message
  const name = (text: React.ReactNode) => <bdi className="font-medium text-ink">{text}</bdi>
  const when = () => sendAt && <LocalTime at={sendAt} withTime />
  return (
    <ConfirmDialog
      title={
        sendAt
          ? t.rich('broadcast.scheduleTitle', { time: sendAt, when })
          : t('broadcast.title', { count: devices })
      }
      description={
        <>
          {all
            ? t.rich('broadcast.toAll', { title, name })
            : topic !== undefined
              ? t.rich('broadcast.toTopic', { title, topic, name })
              : userIds || userId !== undefined
                ? t.rich('broadcast.toUsers', { title, count: userIds?.length ?? 1, name })
                : t.rich(toYou ? 'broadcast.toYou' : 'broadcast.toOwner', { title, name })}{' '}
          {apps && <>{t.rich('broadcast.onlyApp', { app: apps.join(', '), name })} </>}
          {sendAt ? t('broadcast.later', { count: devices }) : t('broadcast.now')}
        </>
      }
      // Red is for actions that take something away.
      confirmVariant="primary"
      confirmLabel={t(sendAt ? 'compose.schedule' : 'compose.send')}
      {...dialog}
    >
      {devices === 0 && (
        <Notice tone="warning" className="mt-4">
          {t('broadcast.noOne')}
        </Notice>
      )}
    </ConfirmDialog>
  )
}
