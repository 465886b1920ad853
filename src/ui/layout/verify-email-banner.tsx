import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { Breakable } from '../components/breakable.tsx'
import { Notice } from '../components/notice.tsx'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { ResendEmailButton } from './resend-email-button.tsx'

/** Banner for users who must verify their email before uploading. Disappears after another tab verifies it. */
export function VerifyEmailBanner() {
  const { user } = useSession()
  const { t } = useMessages()
  const router = useRouter()

  useEffect(() => {
    const refreshIfVisible = () => document.visibilityState === 'visible' && router.refresh()
    document.addEventListener('visibilitychange', refreshIfVisible)
    return () => document.removeEventListener('visibilitychange', refreshIfVisible)
  }, [router])

  return (
    <section
      aria-label={t('verifyEmail.title')}
      // Hidden where the page itself says all of this.
      className="[body:has([data-confirm-email])_&]:hidden mx-auto max-w-5xl xl:max-w-[76rem] px-4 pt-4 sm:px-6 print:hidden"
    >
      <Notice
        tone="info"
        silent
        action={
          // On phones, aligned with the text.
          <div className="max-sm:pl-7">
            <ResendEmailButton />
          </div>
        }
      >
        {t.rich('verifyEmail.banner', {
          address: user.email,
          email: () => (
            // Not an inline block, after which the full stop could wrap onto a line of its own.
            <strong className="font-medium">
              <Breakable>{user.email}</Breakable>
            </strong>
          ),
        })}{' '}
        {t('verifyEmail.checkSpam')}
      </Notice>
    </section>
  )
}
