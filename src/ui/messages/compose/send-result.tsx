import type { PushContent, PushMessageStatus } from '@pigeonhole/client/push'
import { type ReactNode, type RefObject, useEffect } from 'react'
import { Button } from '../../components/button.tsx'
import { buttonClass } from '../../components/button-class.ts'
import { Card } from '../../components/card.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { CancelMessage } from '../cancel-message.tsx'
import { canCancel } from '../delivery-summary.ts'
import { EditMessage } from '../edit-message.tsx'

type SendResultProps = {
  /** The message that was sent. */
  content: Pick<PushContent, 'title' | 'body'>
  recipients: string
  /** True if *Sent* is known to list the message. The owner of a pasted push token is unknown. */
  isListed: boolean
  status: PushMessageStatus['status']
  /** Takes the focus, and again once the message is canceled. */
  heading: RefObject<HTMLElement | null>
  cancel(): Promise<unknown>
  onCancelled(): void
  /** Cancels the message, unless pushes have been sent. Then `onReuse` is called. */
  cancelToEdit(): Promise<unknown>
  onNew(): void
  onReuse(): void
  /** Results of the message, with the heading. */
  children: ReactNode
}

/** Replaces the form once a message is sent, so that it cannot be sent twice. */
export function SendResult({ content, recipients, isListed, status, heading, ...result }: SendResultProps) {
  const { cancel, onCancelled, cancelToEdit, onNew, onReuse, children } = result
  const { t } = useMessages()
  useEffect(() => heading.current?.focus(), [heading])
  const isCancellable = canCancel(status)
  // The button to cancel can have had the focus.
  useEffect(() => {
    if (!isCancellable && document.activeElement === document.body) heading.current?.focus()
  }, [heading, isCancellable])
  const title = content.title ?? t('sent.silent')
  return (
    <Card className="max-w-3xl">
      <div className="space-y-4 px-4 py-4 sm:px-5">
        {children}
        <div className="rounded-lg bg-sunken px-3.5 py-3 text-sm forced-colors:border">
          <p className="text-ink-soft">
            {t('compose.to')} <bdi className="wrap-anywhere text-ink">{recipients}</bdi>
          </p>
          <p dir="auto" className="mt-1 font-semibold wrap-anywhere">
            {title}
          </p>
          {content.body && (
            <p dir="auto" className="line-clamp-3 whitespace-pre-line wrap-anywhere">
              {content.body}
            </p>
          )}
        </div>
      </div>
      <div className="grid gap-2 border-t border-line px-4 py-3 min-[22.5rem]:grid-cols-2 min-[22.5rem]:*:last:odd:col-span-2 sm:flex sm:flex-wrap sm:px-5">
        <AppLink
          href="/messages/sent"
          className={buttonClass(isListed ? 'primary' : 'secondary', 'relative')}
        >
          {t('compose.openSent')}
        </AppLink>
        <Button variant={isListed ? undefined : 'primary'} onClick={onNew}>
          {t('compose.another')}
        </Button>
        <EditMessage
          variant="secondary"
          title={title}
          status={status}
          text="compose.editText"
          cancel={cancelToEdit}
          onCancelled={onReuse}
        />
        {status !== 'scheduled' && <Button onClick={onReuse}>{t('sent.reuse')}</Button>}
        <CancelMessage
          className="sm:ml-auto"
          title={title}
          status={status}
          cancel={cancel}
          onCancelled={onCancelled}
        />
      </div>
    </Card>
  )
}
