import type { Outputs } from '@pigeonhole/client'
import { useMutation } from '@tanstack/react-query'
import { CopyPlus, Ellipsis } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { Menu, MenuItem } from '../../components/menu.tsx'
import { useClients } from '../../context/use-clients.ts'
import { useSession } from '../../context/use-session.ts'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { CancelMessage } from '../cancel-message.tsx'
import { draftOfSent, recipientName } from '../compose/draft.ts'
import { reuseMessage } from '../compose/draft-store.ts'
import { DeliveryCounts } from '../delivery-counts.tsx'
import { deliverySummary, isFinished } from '../delivery-summary.ts'
import { FailureReasons } from './failure-reasons.tsx'
import { MessageTimeline } from './timeline.tsx'

type SentMessage = Outputs['messages']['sent']['items'][number]

type SentRowProps = {
  message: SentMessage
  /** True if messages of several push tokens are listed. */
  showsToken: boolean
  onChanged(): void
}

const TARGETS: Record<Exclude<SentMessage['target'], 'topic'>, PlainMessageKey> = {
  all: 'sent.toAll',
  users: 'sent.toUsers',
  user: 'sent.toUser',
}

/** Calm for what went well, so that problems stand out. */
function badgeTone({ status, failed }: SentMessage): BadgeTone {
  if (failed > 0) return 'bad'
  if (status === 'completed') return 'usual'
  return status === 'scheduled' || status === 'queued' || status === 'sending' ? 'good' : 'neutral'
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
  const canStop = isScheduled || status === 'queued' || status === 'sending'
  const hasFailed = failed > 0 && isFinished(message)
  // Messages to one user have no timeline.
  const recorded = target === 'user' ? 0 : sent + failed + removed
  const reuse = useMutation({
    mutationFn: () => client.messages.status.query({ messageId: id }),
    onSuccess: (details) => {
      reuseMessage(t('sent.reused', { title }), draftOfSent(details, user.id))
      router.push('/messages/new')
    },
  })
  return (
    <li className="px-4 py-4 sm:px-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <p dir="auto" className="min-w-0 flex-1 basis-56 font-semibold">
          {title}
        </p>
        <p className="flex flex-wrap items-baseline gap-x-2 text-sm text-ink-soft">
          {hasFailed && deliverySummary(message, t)}
          <Badge tone={badgeTone(message)}>
            {hasFailed ? t('delivery.failed', { count: failed }) : deliverySummary(message, t)}
          </Badge>
        </p>
      </div>
      {body && (
        <p dir="auto" className="line-clamp-1 text-sm">
          {body}
        </p>
      )}
      <p className="mt-1 text-sm text-ink-soft tabular-nums">
        {sendAt ? (
          t.rich('delivery.sendAt', { time: sendAt, when: () => <LocalTime at={sendAt} /> })
        ) : (
          <LocalTime at={createdAt} />
        )}
        {' · '}
        {to} · {t('sent.category', { category })}
        {showsToken && ` · ${t('sent.by', { name: tokenName })}`}
      </p>
      <DeliveryCounts message={message} failedAbove={hasFailed} />
      {(recorded > 0 || failed > 0) && (
        <div className="mt-2 space-y-2">
          {recorded > 0 && <MessageTimeline messageId={id} recorded={recorded} />}
          {failed > 0 && <FailureReasons messageId={id} failed={failed} />}
        </div>
      )}
      <div className="mt-1 -mb-2 -ml-4 flex flex-wrap items-center">
        {canStop ? (
          <>
            <CancelMessage
              variant="ghost"
              title={title}
              isScheduled={isScheduled}
              cancel={() => client.messages.cancel.mutate({ messageId: id })}
              onCancelled={onChanged}
            />
            <div className="-mr-2 ml-auto">
              <Menu label={t('files.actions', { name: title })} icon={Ellipsis}>
                <MenuItem
                  icon={CopyPlus}
                  onClick={() => !reuse.isPending && !reuse.isSuccess && reuse.mutate()}
                >
                  {t('sent.reuse')}
                </MenuItem>
              </Menu>
            </div>
          </>
        ) : (
          <Button
            variant="ghost"
            busy={reuse.isPending || reuse.isSuccess}
            aria-label={t('sent.reuseOne', { title })}
            onClick={() => reuse.mutate()}
          >
            {t('sent.reuse')}
          </Button>
        )}
      </div>
      <ErrorNotice error={reuse.error} />
    </li>
  )
}
