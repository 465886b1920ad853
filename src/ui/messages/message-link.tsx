import { buttonClass } from '../components/button-class.ts'
import { useMessages } from '../i18n/messages-provider.tsx'

/** A link from the sender. For safety, users can follow only links to web pages. The button names the site. */
export function MessageLink({ link }: { link: string }) {
  const { t } = useMessages()
  if (!/^https?:/i.test(link) || !URL.canParse(link))
    return <p className="mt-2 text-sm text-ink-soft wrap-anywhere">{link}</p>
  return (
    <p className="mt-2">
      <a
        href={link}
        target="_blank"
        rel="noreferrer"
        title={link}
        className={buttonClass('secondary', 'max-w-full')}
      >
        <span className="truncate">{t('messages.openLink', { host: new URL(link).host })}</span>
      </a>
    </p>
  )
}
