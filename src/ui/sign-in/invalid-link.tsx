import { buttonClass } from '../components/button-class.ts'
import { Notice } from '../components/notice.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'

/** Replaces a page whose emailed link was used, has expired or is incomplete. `action` leads to a new link. */
export function InvalidLink({ action }: { action: { href: string; label: string } }) {
  const { t } = useMessages()
  return (
    <div className="space-y-4">
      <Notice tone="error">{t('mailLinks.invalid')}</Notice>
      <a href={action.href} className={buttonClass('secondary', 'min-h-11 w-full')}>
        {action.label}
      </a>
    </div>
  )
}
