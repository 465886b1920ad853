'use client'

import type { AdminBroadcast, AdminBroadcastDetails } from '@pigeonhole/client/admin'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { CopyableCode } from '../../components/copy-button.tsx'
import { DetailList } from '../../components/detail-list.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import {
  audienceSize,
  deliverySummary,
  isFinished,
  platformCounts,
  STATUS_TONE,
} from '../../messages/delivery-summary.ts'
import { MessageLink } from '../../messages/message-link.tsx'
import { MessagePicture } from '../../messages/message-picture.tsx'
import { admin } from '../admin-client.ts'
import { AdminItemPage } from '../admin-item-page.tsx'
import { Figures } from '../figures.tsx'
import { type FirstResponse, startingWith } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { BroadcastProgress } from './broadcast-progress.tsx'
import { BROADCAST_STATUS, isSending, REFRESH_MS, targetOf } from './broadcast-status.ts'
import { CancelBroadcast } from './cancel-broadcast.tsx'
import { FailedDevices } from './failed-devices.tsx'

type BroadcastPageProps = {
  id: string
  /** The broadcast as it came with the HTML. */
  first: FirstResponse<AdminBroadcastDetails>
}

/** A broadcast: its result, the message, its failures with what to do, and its facts. */
export function BroadcastPage({ id, first }: BroadcastPageProps) {
  const { t } = useMessages()
  const query = useQuery({
    queryKey: ADMIN_KEYS.broadcast(id),
    queryFn: ({ signal }) => admin.broadcasts.find(id, signal),
    refetchOnWindowFocus: false,
    refetchInterval: ({ state: { data } }) => (data && isSending(data.status) ? REFRESH_MS : false),
    ...startingWith(first),
  })
  return (
    <AdminItemPage<AdminBroadcastDetails>
      list="/admin/broadcasts"
      texts={{
        list: 'admin.broadcasts.back',
        one: 'admin.broadcasts.one',
        notFound: 'admin.broadcasts.notFound',
      }}
      query={query}
      heading={({ title }) => title ?? t('admin.broadcasts.silent')}
      badges={({ status }) => <Badge tone={STATUS_TONE[status]}>{t(BROADCAST_STATUS[status])}</Badge>}
    >
      {(broadcast) => (
        <>
          <DeliveryCard broadcast={broadcast} />
          <MessageCard broadcast={broadcast} />
          {broadcast.failed > 0 && <FailedDevices broadcast={broadcast} />}
          <FactsCard broadcast={broadcast} />
        </>
      )}
    </AdminItemPage>
  )
}

/** The message as it was sent, without the title, which is the page's heading. */
function MessageCard({ broadcast: { title, body, link, imageUrl } }: { broadcast: AdminBroadcast }) {
  const { t } = useMessages()
  if (title !== null && !body && !link && !imageUrl) return null
  return (
    <Card title={t('admin.broadcasts.message')}>
      <div className="flex gap-4 px-4 py-4 sm:px-5">
        <div className="min-w-0 flex-1">
          {title === null && <p className="text-sm text-ink-soft">{t('admin.broadcasts.silentText')}</p>}
          {body && (
            <p dir="auto" className="max-w-prose text-sm wrap-anywhere whitespace-pre-line">
              {body}
            </p>
          )}
          {link && <MessageLink link={link} />}
        </div>
        {imageUrl && <MessagePicture url={imageUrl} className="size-16 shrink-0 text-xs sm:size-24" />}
      </div>
    </Card>
  )
}

function DeliveryCard({ broadcast }: { broadcast: AdminBroadcast }) {
  const { t } = useMessages()
  const queries = useQueryClient()
  const { id, status } = broadcast
  const cancel = (
    <CancelBroadcast
      broadcast={broadcast}
      onCancelled={() => {
        void queries.invalidateQueries({ queryKey: ADMIN_KEYS.broadcast(id) })
        void queries.invalidateQueries({ queryKey: ADMIN_KEYS.broadcasts })
      }}
    />
  )
  return (
    <Card
      title={t('admin.broadcasts.delivery')}
      // A progress bar or the time says it until the end.
      description={isFinished(broadcast) && status !== 'scheduled' && deliverySummary(broadcast, t)}
      actions={cancel}
    >
      {status === 'scheduled' ? <Schedule broadcast={broadcast} /> : <Counts broadcast={broadcast} />}
    </Card>
  )
}

/** When a broadcast will be sent, and to whom. Nothing is counted before then. */
function Schedule({ broadcast }: { broadcast: AdminBroadcast }) {
  const { t } = useMessages()
  const when = broadcast.sendAt ?? broadcast.createdAt
  return (
    <div className="px-4 py-4 text-sm sm:px-5">
      <p className="font-medium">
        {t.rich('delivery.scheduledFor', { time: when, when: () => <LocalTime at={when} withTime /> })}
      </p>
      <p className="mt-1">
        <span className="text-ink-soft">{t('admin.broadcasts.to')}:</span>{' '}
        <bdi className="wrap-anywhere">{targetOf(broadcast, t)}</bdi>
      </p>
      <p className="mt-1 text-ink-soft">{t('admin.broadcasts.audienceLater')}</p>
    </div>
  )
}

function Counts({ broadcast }: { broadcast: AdminBroadcast }) {
  const { t, format } = useMessages()
  const { status, target, audience, sent, failed, removed } = broadcast
  const devices = audienceSize(audience)
  // Rounded down, so that 100% has no failure.
  const share = (count: number) => devices > 0 && format.percent(Math.floor((count * 100) / devices) / 100)
  return (
    <>
      <BroadcastProgress broadcast={broadcast} className="px-4 pt-4 sm:px-5" />
      <Figures
        columns="sm:grid-cols-4"
        figures={[
          {
            label: t(
              target === 'all' && isSending(status)
                ? 'admin.broadcasts.audienceSoFar'
                : 'admin.broadcasts.audience',
            ),
            value: format.number(devices),
            note: platformCounts(audience, t),
          },
          { label: t('admin.broadcasts.sent'), value: format.number(sent), note: share(sent) },
          { label: t('admin.broadcasts.failed'), value: format.number(failed), isBad: failed > 0 },
          {
            label: t('admin.broadcasts.removed'),
            value: format.number(removed),
            note: removed > 0 && t('admin.broadcasts.removedText'),
          },
        ]}
      />
    </>
  )
}

function FactsCard({ broadcast }: { broadcast: AdminBroadcast }) {
  const { t } = useMessages()
  const { id, status, category, apps, sendAt, createdAt, completedAt, pushToken, target, topic } = broadcast
  // Until then, the card above has the recipients and the time.
  const isScheduled = status === 'scheduled'
  const time = (at: string | null | undefined) => (at ? <LocalTime at={at} /> : null)
  return (
    <Card title={t('admin.broadcasts.facts')}>
      <DetailList
        details={[
          [t('admin.broadcasts.to'), isScheduled ? null : targetOf({ target, topic }, t)],
          [t('admin.broadcasts.category'), category],
          [t('admin.broadcasts.apps'), apps === null ? null : apps.join(', ')],
          [t('admin.broadcasts.created'), time(createdAt)],
          [t('admin.broadcasts.sendAt'), isScheduled ? null : time(sendAt)],
          [t('admin.broadcasts.ended'), time(completedAt)],
          [
            t('admin.broadcasts.token'),
            pushToken && (
              <AppLink
                href={`/admin/users/${pushToken.userId}`}
                className="relative -my-0.5 inline-flex min-h-6 items-center text-accent underline pointer-coarse:after:absolute pointer-coarse:after:-inset-x-2 pointer-coarse:after:-inset-y-2"
              >
                <bdi>{pushToken.name}</bdi>
              </AppLink>
            ),
          ],
          [t('admin.broadcasts.id'), <CopyableCode key="id" code={id} label={t('admin.files.copyId')} />],
        ]}
      />
    </Card>
  )
}
