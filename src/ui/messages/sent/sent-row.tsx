import type { Outputs } from '@pigeonhole/client'
import { useMutation } from '@tanstack/react-query'
import clsx from 'clsx'
import { ChevronRight, CopyPlus, Ellipsis } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useId, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { Menu, MenuItem } from '../../components/menu.tsx'
import { useClients } from '../../context/use-clients.ts'
import { useSession } from '../../context/use-session.ts'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { CancelMessage } from '../cancel-message.tsx'
import { draftOfScheduled, draftOfSent, recipientName } from '../compose/draft.ts'
import { reuseMessage } from '../compose/draft-store.ts'
import { DeliveryProgress } from '../delivery-progress.tsx'
import { canCancel, deliveryCounts, deliverySummary, isFinished, STATUS_TONE } from '../delivery-summary.ts'
import { FailureReasons } from './failure-reasons.tsx'
import { MessageTimeline } from './timeline.tsx'

type SentMessage = Outputs['messages']['sent']['items'][number]

type SentRowProps = {
  message: SentMessage
  /** True if messages of several push tokens are listed. */
  showsToken: boolean
  onChanged(): void
}

/** Category of messages whose sender chose none (`DEFAULT_CATEGORY` of the server). It is not worth showing. */
const DEFAULT_CATEGORY = 'general'

const TARGETS: Record<Exclude<SentMessage['target'], 'topic'>, PlainMessageKey> = {
  all: 'sent.toAll',
  users: 'sent.toUsers',
  user: 'sent.toUser',
}

/** A sent message: its recipients, results and failures, and buttons that stop and reuse it. */
export function SentRow({ message, showsToken, onChanged }: SentRowProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const { user } = useSession()
  const router = useRouter()
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
  const isScheduled = status === 'scheduled'
  const hasFailed = failed > 0 && isFinished(message)
  // Messages to one user have no timeline.
  const recorded = target === 'user' ? 0 : sent + failed + removed
  const [timelineShown, setTimelineShown] = useState(false)
  const [failuresShown, setFailuresShown] = useState(false)
  const panelId = useId()
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
    <li className="px-4 py-3 sm:px-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
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
        <p dir="auto" className="line-clamp-1 text-sm">
          {body}
        </p>
      )}
      <div className="mt-0.5 flex flex-wrap items-center gap-x-4">
        <p className="min-w-0 flex-1 basis-72 text-sm text-ink-soft tabular-nums">
          {sendAt ? (
            t.rich('delivery.sendAt', { time: sendAt, when: () => <LocalTime at={sendAt} /> })
          ) : (
            <LocalTime at={createdAt} />
          )}
          {' · '}
          {to}
          {category !== DEFAULT_CATEGORY && ` · ${t('sent.category', { category })}`}
          {showsToken && ` · ${t('sent.by', { name: tokenName })}`}
          {counts && ` · ${counts}`}
        </p>
        {/* In the line of the details on wide screens, without adding to its height. */}
        <div className="-mx-2 -my-2 flex flex-wrap sm:ml-auto items-center forced-colors:m-0 forced-colors:gap-2 max-sm:mt-0">
          {recorded > 0 && (
            <Toggle open={timelineShown} onToggle={setTimelineShown} controls={panelId}>
              {t('sent.timeline')}
            </Toggle>
          )}
          {failed > 0 && (
            <Toggle open={failuresShown} onToggle={setFailuresShown} controls={panelId}>
              {t('sent.failures', { count: failed })}
            </Toggle>
          )}
          {canCancel(status) ? (
            <>
              {isScheduled && (
                <DeleteButton
                  variant="ghost"
                  className="px-2!"
                  label={t('sent.edit')}
                  title={t('sent.editTitle')}
                  description={t(target === 'users' ? 'sent.editUsersText' : 'sent.editText', { title })}
                  confirmLabel={t('sent.editConfirm')}
                  confirmVariant="primary"
                  cancelLabel={t('sent.keep')}
                  doneText={t('sent.reused', { title })}
                  expectedErrors={{
                    CONFLICT: 'sent.editTooLate',
                    HAS_BEGUN: 'sent.editHasBegun',
                    SEVERAL_APPS: 'sent.editSeveralApps',
                  }}
                  onConfirm={edit}
                  onDeleted={() => router.push('/messages/new')}
                />
              )}
              <CancelMessage
                variant="danger-ghost"
                className="px-2! text-danger!"
                title={title}
                isScheduled={isScheduled}
                cancel={() => client.messages.cancel.mutate({ messageId: id })}
                onCancelled={onChanged}
              />
              <Menu label={t('files.actions', { name: title })} icon={Ellipsis}>
                <MenuItem
                  icon={CopyPlus}
                  onClick={() => !reuse.isPending && !reuse.isSuccess && reuse.mutate()}
                >
                  {t('sent.reuse')}
                </MenuItem>
              </Menu>
            </>
          ) : (
            <Button
              variant="ghost"
              className="px-2!"
              busy={reuse.isPending || reuse.isSuccess}
              aria-label={t('sent.reuseOne', { title })}
              onClick={() => reuse.mutate()}
            >
              {t('sent.reuse')}
            </Button>
          )}
        </div>
      </div>
      {/* The devices of a broadcast to everyone are counted while it is sent. */}
      {target !== 'all' && <DeliveryProgress message={message} />}
      <div id={panelId} className="*:mt-4">
        {timelineShown && <MessageTimeline messageId={id} recorded={recorded} />}
        {failuresShown && <FailureReasons messageId={id} failed={failed} />}
      </div>
      <ErrorNotice error={reuse.error} />
    </li>
  )
}

type ToggleProps = { open: boolean; onToggle(open: boolean): void; controls: string; children: string }

/** Button that shows and hides a section below the row. */
function Toggle({ open, onToggle, controls, children }: ToggleProps) {
  return (
    <Button
      variant="ghost"
      aria-expanded={open}
      aria-controls={controls}
      className="px-2!"
      onClick={() => onToggle(!open)}
    >
      <ChevronRight
        aria-hidden="true"
        className={clsx('size-4 transition-transform motion-reduce:transition-none', open && 'rotate-90')}
      />
      {children}
    </Button>
  )
}

/** Returns an error that `errorText` finds by its code. */
function withCode(code: string): Error {
  return Object.assign(new Error(code), { code })
}
