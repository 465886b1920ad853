import type { ReactNode } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { CenteredTitle } from '../layout/centered-title.tsx'

/** Replaces a page whose emailed link was used, has expired or is incomplete. `children` lead to a new link. */
export function InvalidLink({ children }: { children: ReactNode }) {
  const { t } = useMessages()
  return (
    <>
      <CenteredTitle>{t('mailLinks.invalidTitle')}</CenteredTitle>
      <div className="space-y-4">
        <p className="text-sm text-ink-soft">{t('mailLinks.invalid')}</p>
        {children}
      </div>
    </>
  )
}
