import { Mail } from 'lucide-react'
import { useState } from 'react'
import { Breakable } from '../components/breakable.tsx'
import { Button } from '../components/button.tsx'
import { useAnnouncer } from '../context/announcer.tsx'
import { useClients } from '../context/use-clients.ts'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { leavePage } from '../layout/leave-page.ts'
import { ResendEmailButton } from '../layout/resend-email-button.tsx'
import { leaveApp } from '../sign-in/leave-app.ts'

/** Takes the place of the area for uploads until the email is confirmed, because every upload fails until then. */
export function ConfirmEmail() {
  const { user } = useSession()
  const { t } = useMessages()
  return (
    <section
      aria-label={t('verifyEmail.title')}
      // The banner is not needed then.
      data-confirm-email
      className="flex flex-col items-center gap-5 rounded-xl border border-line bg-surface px-4 py-12 text-center shadow-card sm:py-20 print:hidden"
    >
      <span className="flex size-14 items-center justify-center rounded-full bg-accent-soft text-accent">
        <Mail aria-hidden="true" className="size-6" />
      </span>
      <div>
        <p className="text-lg font-semibold text-balance">{t('addFiles.confirmFirst')}</p>
        <p className="mt-1 text-sm text-balance text-ink-soft">
          {t.rich('verifyEmail.emailed', {
            address: user.email,
            email: () => (
              <strong className="font-medium text-ink">
                <Breakable>{user.email}</Breakable>
              </strong>
            ),
          })}{' '}
          {t('verifyEmail.checkSpam')}
        </p>
      </div>
      <div className="flex flex-col items-center gap-2">
        <ResendEmailButton variant="primary" />
        {user.canSignUp ? (
          <SignUpAgain />
        ) : (
          <p className="mt-2 text-sm text-balance text-ink-soft">{t('verifyEmail.askForAccount')}</p>
        )}
      </div>
    </section>
  )
}

/** Signs out and leads to a new account, because an account cannot change its email. */
function SignUpAgain() {
  const { client } = useClients()
  const { notify } = useAnnouncer()
  const { t } = useMessages()
  const [busy, setBusy] = useState(false)

  async function leave() {
    setBusy(true)
    if (await leaveApp(client)) return leavePage('/signup')
    setBusy(false)
    notify(t('layout.signOutFailed'))
  }

  return (
    <div className="mt-2 text-sm text-ink-soft">
      <p className="forced-colors:mb-2">{t('verifyEmail.wrongAddress')}</p>
      <Button variant="ghost" busy={busy} onClick={leave}>
        {t('verifyEmail.signUpAgain')}
      </Button>
    </div>
  )
}
