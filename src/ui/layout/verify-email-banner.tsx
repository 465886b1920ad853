import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { useAnnouncer } from '../context/announcer.tsx'
import { errorText } from '../context/error-text.ts'
import { useClients } from '../context/use-clients.ts'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'

/** Banner for users who must verify their email before uploading. Disappears after another tab verifies it. */
export function VerifyEmailBanner() {
  const { user } = useSession()
  const { client } = useClients()
  const { notify } = useAnnouncer()
  const { t } = useMessages()
  const router = useRouter()
  const send = useMutation({
    mutationFn: () => client.account.requestEmailVerification.mutate(),
    onSuccess: () => notify(t('verifyEmail.sent', { email: user.email }), 'info'),
    onError: (error) => notify(errorText(t, error, { TOO_MANY_REQUESTS: 'mailLinks.tooMany' })),
  })

  useEffect(() => {
    const refreshIfVisible = () => document.visibilityState === 'visible' && router.refresh()
    document.addEventListener('visibilitychange', refreshIfVisible)
    return () => document.removeEventListener('visibilitychange', refreshIfVisible)
  }, [router])

  return (
    <section
      aria-label={t('verifyEmail.title')}
      className="mx-auto max-w-5xl xl:max-w-[76rem] px-4 pt-4 sm:px-6 print:hidden"
    >
      <Notice
        tone="warning"
        silent
        action={
          <Button busy={send.isPending} onClick={() => send.mutate()}>
            {t('verifyEmail.sendAgain')}
          </Button>
        }
      >
        {t.rich('verifyEmail.banner', {
          address: user.email,
          email: (text) => <strong className="font-medium break-words">{text}</strong>,
        })}
      </Notice>
    </section>
  )
}
