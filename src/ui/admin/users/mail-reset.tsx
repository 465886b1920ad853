import type { AdminUser } from '@pigeonhole/client/admin'
import { useMutation } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'

/** Button that emails a user a link that sets a new password. */
export function MailReset({ user }: { user: AdminUser }) {
  const { t } = useMessages()
  const { notify } = useAnnouncer()
  const mail = useMutation({
    mutationFn: () => admin.users.sendPasswordReset(user.id),
    onSuccess: () => notify(t('admin.users.invited', { email: user.email ?? '' }), 'info'),
  })
  return (
    <>
      <Button busy={mail.isPending} onClick={() => mail.mutate()}>
        {t('admin.users.mailReset')}
      </Button>
      <ErrorNotice error={mail.error} className="w-full" />
    </>
  )
}
