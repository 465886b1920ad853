import { Mail } from 'lucide-react'
import { Breakable } from '../components/breakable.tsx'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { ResendEmailButton } from '../layout/resend-email-button.tsx'

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
          })}
        </p>
      </div>
      <ResendEmailButton variant="primary" />
    </section>
  )
}
