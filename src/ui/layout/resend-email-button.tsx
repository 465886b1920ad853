import { useMutation } from '@tanstack/react-query'
import { Button } from '../components/button.tsx'
import type { ButtonVariant } from '../components/button-class.ts'
import { useAnnouncer } from '../context/announcer.tsx'
import { errorText } from '../context/error-text.ts'
import { useClients } from '../context/use-clients.ts'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'

/** Button that sends the user another link to confirm the email, and reports the result. */
export function ResendEmailButton({ variant }: { variant?: ButtonVariant }) {
  const { user } = useSession()
  const { client } = useClients()
  const { notify } = useAnnouncer()
  const { t } = useMessages()
  const send = useMutation({
    mutationFn: () => client.account.requestEmailVerification.mutate(),
    onSuccess: () => notify(t('verifyEmail.sent', { email: user.email }), 'info'),
    onError: (error) => notify(errorText(t, error, { TOO_MANY_REQUESTS: 'mailLinks.tooMany' })),
  })
  return (
    <Button variant={variant} busy={send.isPending} onClick={() => send.mutate()}>
      {t('verifyEmail.sendAgain')}
    </Button>
  )
}
