import { MailCheck } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Breakable } from '../components/breakable.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'

type MailSentProps = {
  /** Says to which address the email goes. */
  text: ReactNode
  children?: ReactNode
}

/** Replaces a form that sent an email, and takes the focus from it. */
export function MailSent({ text, children }: MailSentProps) {
  const { t } = useMessages()
  const textId = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <div className="space-y-4">
      <span className="flex size-12 items-center justify-center rounded-full bg-accent-soft forced-colors:border">
        <MailCheck aria-hidden="true" className="size-6 text-accent" />
      </span>
      <h1
        ref={heading}
        tabIndex={-1}
        aria-describedby={textId}
        className="mb-6 text-xl font-semibold outline-none"
      >
        {t('mailLinks.sentTitle')}
      </h1>
      <p id={textId} className="text-sm text-ink-soft">
        {typeof text === 'string' ? <Breakable>{text}</Breakable> : text}
      </p>
      {children}
    </div>
  )
}
