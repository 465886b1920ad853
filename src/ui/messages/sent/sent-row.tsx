import type { Outputs } from '@pigeonhole/client'
import { useMutation } from '@tanstack/react-query'
import clsx from 'clsx'
import { ChevronRight, CopyPlus, Ellipsis } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { moveFocusToHeading } from '../../components/focus-after-removal.ts'
import { LocalTime } from '../../components/local-time.tsx'
import { Menu, MenuItem } from '../../components/menu.tsx'
import { withCode } from '../../context/error-text.ts'
import { useClients } from '../../context/use-clients.ts'
import { useSession } from '../../context/use-session.ts'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { CancelMessage } from '../cancel-message.tsx'
import { draftOfScheduled, draftOfSent, recipientName } from '../compose/draft.ts'
import { reuseMessage } from '../compose/draft-store.ts'
import { DeliveryProgress } from '../delivery-progress.tsx'
import { deliveryCounts, deliverySummary, STATUS_TONE } from '../delivery-summary.ts'
import { EditMessage } from '../edit-message.tsx'
import { FailureReasons } from './failure-reasons.tsx'
import { MessageTimeline } from './timeline.tsx'

export type SentMessage = Outputs['messages']['sent']['items'][number]

type SentRowProps = {
  message: SentMessage
  /** True if messages of several push tokens are listed. */
  showsToken: boolean
  onChanged(): void
  /** Called when the confirmation of a cancellation opens and closes. */
  onOpenChange(open: boolean): void
}

/** Category of messages whose sender chose none (`DEFAULT_CATEGORY` of the server). It is not worth showing. */
const DEFAULT_CATEGORY = 'general'

const TARGETS: Record<Exclude<SentMessage['target'], 'topic'>, PlainMessageKey> = {
  all: 'sent.toAll',
  users: 'sent.toUsers',
  user: 'sent.toUser',
}

/** A sent message: its recipients, results and failures, buttons that stop and edit it, and a menu that reuses it. */
export function SentRow({ message, showsToken, onChanged, onOpenChange }: SentRowProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const { user } = useSession()
  const router = useRouter()
  const row = useRef<HTMLLIElement>(null)
  const isCanceled = useRef(false)
  // A canceled message leaves a list of scheduled ones.
  useLayoutEffect(() => {
    const item = row.current!
    return () => {
      if (isCanceled.current) moveFocusToHeading(item)
    }
  }, [])
  const {
    id,
    status,
    body,
    target,
    topic,
    recipient,
    tokenName,
    category,
    sent,
    failed,
    removed,
    createdAt,
    sendAt,
  } = message
  const title = message.title ?? t('sent.silent')
  const name = recipientName(recipient)
  const to =
    target === 'topic'
      ? t('sent.toTopic', { topic: topic ?? '' })
      : recipient?.id === user.id
        ? t('sent.toYou')
        : name === null
          ? t(TARGETS[target])
          : t('sent.toOne', { name })
  const hasFailed = failed > 0
  const recorded = sent + failed + removed
  // Messages to one user have none.
  const hasTimeline = target !== 'user' && recorded > 0
  // In messages with a timeline, that explains it.
  const removedText = removed > 0 && !hasTimeline && t('delivery.removedText')
  const counts = deliveryCounts(message, t, hasFailed)
  const reuse = useMutation({
    mutationFn: () => client.messages.status.query({ messageId: id }),
    onSuccess: (details) => {
      reuseMessage(t('sent.reused', { title }), draftOfSent(details, user.id))
      router.push('/messages/new')
    },
  })
  /** Cancels the message, so that it is not sent while the user changes it. */
  async function edit(): Promise<void> {
    const details = await client.messages.status.query({ messageId: id })
    // The form has one app or all of them.
    if (Array.isArray(details.content.apps) && details.content.apps.length > 1) throw withCode('SEVERAL_APPS')
    // The response to an earlier attempt can have been lost.
    if (details.status !== 'scheduled' && details.status !== 'cancelled') throw withCode('CONFLICT')
    const after = await client.messages.cancel.mutate({ messageId: id })
    if (after.sent + after.failed + after.removed > 0) throw withCode('HAS_BEGUN')
    onChanged()
    reuseMessage(t('sent.reused', { title }), draftOfScheduled(details, user.id))
  }

  return (
    <li ref={row} className="relative py-3.5 px-4 sm:px-5">
      <div className="sm:pr-11">
        {/* On phones, only the first line is beside the menu. */}
        <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 max-sm:mb-1 max-sm:pr-9">
          <p dir="auto" className="min-w-0 flex-1 basis-56 font-semibold">
            {title}
          </p>
          <p className="flex flex-wrap items-baseline gap-x-2 text-sm text-ink-soft">
            {hasFailed && deliverySummary(message, t)}
            <Badge tone={hasFailed ? 'bad' : STATUS_TONE[status]}>
              {hasFailed ? t('delivery.failed', { count: failed }) : deliverySummary(message, t)}
            </Badge>
          </p>
        </div>
        {body && (
          <p dir="auto" className="line-clamp-2 text-sm sm:line-clamp-1">
            {body}
          </p>
        )}
        {/*
         * On narrow screens, the buttons are below the details, and a section opens under its own button. On wide screens,
         * they are in the line of the details, without adding to its height, and sections open below it.
         */}
        <div className="mt-0.5 flex flex-wrap items-center justify-end lg:-mr-2 lg:gap-y-4 forced-colors:gap-2">
          <p className="min-w-0 flex-1 basis-72 text-sm text-ink-soft tabular-nums lg:mr-4">
            {sendAt ? (
              t.rich(status === 'cancelled' && recorded === 0 ? 'sent.wasPlanned' : 'delivery.sendAt', {
                time: sendAt,
                when: () => <LocalTime at={sendAt} />,
              })
            ) : (
              <LocalTime at={createdAt} />
            )}
            {'\u00a0· '}
            {to}
            {category !== DEFAULT_CATEGORY && `\u00a0· ${t('sent.category', { category })}`}
            {showsToken && `\u00a0· ${t('sent.by', { name: tokenName })}`}
            {counts && (
              <>
                {'\u00a0· '}
                <span title={removed > 0 ? t('delivery.removedText') : undefined}>{counts}</span>
              </>
            )}
          </p>
          <div className="-mx-2 -mb-2 flex min-w-0 grow basis-full flex-wrap items-center max-lg:empty:hidden lg:contents lg:*:-my-2 forced-colors:m-0 forced-colors:gap-2 forced-colors:lg:*:my-0">
            {hasTimeline && (
              <Section label={t('sent.timeline')}>
                <MessageTimeline messageId={id} recorded={recorded} />
              </Section>
            )}
            {hasFailed && (
              <Section label={t('sent.failures', { count: failed })}>
                <FailureReasons messageId={id} failed={failed} />
                {removedText && <p className="mt-3 text-sm text-ink-soft">{removedText}</p>}
              </Section>
            )}
            <EditMessage
              variant="ghost"
              className="px-2!"
              title={title}
              status={status}
              text={target === 'users' ? 'sent.editUsersText' : 'sent.editText'}
              onOpenChange={onOpenChange}
              cancel={edit}
              onCancelled={() => router.push('/messages/new')}
            />
            <CancelMessage
              variant="danger-ghost"
              className="px-2! text-danger!"
              title={title}
              status={status}
              onOpenChange={onOpenChange}
              cancel={() => client.messages.cancel.mutate({ messageId: id })}
              onCancelled={() => {
                isCanceled.current = true
                onChanged()
              }}
            />
          </div>
        </div>
        {removedText && !hasFailed && <p className="text-sm text-ink-soft">{removedText}</p>}
        {/* The devices of a broadcast to everyone are counted while it is sent. */}
        {target !== 'all' && <DeliveryProgress message={message} />}
        <ErrorNotice error={reuse.error} />
      </div>
      <div className="absolute top-2 right-1 sm:right-3">
        <Menu label={t('files.actions', { name: title })} icon={Ellipsis} sheetTitle={title}>
          <MenuItem icon={CopyPlus} onClick={() => !reuse.isPending && !reuse.isSuccess && reuse.mutate()}>
            {t('sent.reuse')}
          </MenuItem>
        </Menu>
      </div>
    </li>
  )
}

/** Button that shows and hides a section. */
function Section({ label, children }: { label: string; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      <Button
        variant="ghost"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        className="px-2!"
        onClick={() => setOpen(!open)}
      >
        <ChevronRight
          aria-hidden="true"
          className={clsx('size-4 transition-transform motion-reduce:transition-none', open && 'rotate-90')}
        />
        {label}
      </Button>
      {open && (
        <div id={id} className="min-w-0 basis-full px-2 pt-1 pb-4 lg:order-last lg:my-0! lg:pb-2 lg:pl-0">
          {children}
        </div>
      )}
    </>
  )
}
