import { useMutation, useQuery } from '@tanstack/react-query'
import { Hash } from 'lucide-react'
import { useState } from 'react'
import { Breakable } from '../components/breakable.tsx'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { LocalTime } from '../components/local-time.tsx'
import { useAnnouncer } from '../context/announcer.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { SettingsRow } from './settings-row.tsx'

/** The topics that the user follows. An unfollowed topic stays in the list, so that the user can follow it again. */
export function TopicsCard() {
  const { client } = useClients()
  const { t } = useMessages()
  const list = useQuery({
    queryKey: ['topics'],
    queryFn: () => client.topics.list.query(),
    // Unfollowed topics must not vanish under the pointer.
    refetchOnWindowFocus: false,
  })
  const items = list.data?.items ?? []
  return (
    <Card title={t('topics.title')} description={t('topics.text')}>
      {list.isPending && <p className="px-4 py-4 text-sm text-ink-soft sm:px-5">{t('common.loading')}</p>}
      <ErrorNotice error={list.error} onRetry={list.refetch} className="m-4" />
      {list.data && items.length === 0 && (
        <EmptyState compact icon={Hash} title={t('topics.emptyTitle')}>
          {t('topics.emptyText')}
        </EmptyState>
      )}
      {items.length > 0 && (
        <ul aria-label={t('topics.title')} className="divide-y divide-line">
          {items.map((item) => (
            <TopicRow key={item.topic} {...item} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function TopicRow({ topic, subscribedAt }: { topic: string; subscribedAt: string }) {
  const { client } = useClients()
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const [followed, setFollowed] = useState(true)
  const change = useMutation({
    mutationFn: (follow: boolean) =>
      follow ? client.topics.subscribe.mutate({ topic }) : client.topics.unsubscribe.mutate({ topic }),
    onSuccess: (_, follow) => {
      setFollowed(follow)
      announce(t(follow ? 'topics.followed' : 'topics.left', { topic }))
    },
  })
  return (
    <SettingsRow
      title={
        <p className="font-medium">
          <Breakable>{topic}</Breakable>
        </p>
      }
      actions={
        <Button
          className="max-sm:px-3"
          busy={change.isPending}
          aria-label={t(followed ? 'topics.leaveOne' : 'topics.followOne', { topic })}
          onClick={() => change.mutate(!followed)}
        >
          {t(followed ? 'topics.leave' : 'topics.follow')}
        </Button>
      }
      footer={<ErrorNotice error={change.error} className="mt-2" />}
    >
      <p>
        {followed
          ? t.rich('topics.since', {
              time: subscribedAt,
              when: () => <LocalTime at={subscribedAt} dayOnly />,
            })
          : t('topics.notFollowed')}
      </p>
    </SettingsRow>
  )
}
