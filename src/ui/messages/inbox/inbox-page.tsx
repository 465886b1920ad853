'use client'

import type { Outputs } from '@pigeonhole/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { BellOff } from 'lucide-react'
import { Card } from '../../components/card.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { PagedRows } from '../../components/paged-rows.tsx'
import { useClients } from '../../context/use-clients.ts'
import { SendPushGuide } from '../../guidance/guides.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { type Preferences, usePreferences } from '../../settings/use-preferences.ts'
import { InboxRow } from './inbox-row.tsx'
import { useUnread } from './use-unread.ts'

/** Interval at which an open page looks for new messages. */
const REFRESH_MS = 10_000

type InboxPageProps = { initial: Outputs['messages']['list']; preferences: Preferences }

/** Messages to the user, newest first. Showing them marks them as read. */
export function InboxPage({ initial, preferences }: InboxPageProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const list = useInfiniteQuery({
    queryKey: ['messages'],
    queryFn: ({ pageParam, signal }) =>
      client.messages.list.query(pageParam ? { cursor: pageParam } : undefined, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    initialData: { pages: [initial], pageParams: [null] },
    refetchInterval: REFRESH_MS,
  })
  const items = list.data.pages.flatMap((page) => page.items)
  const unread = useUnread(items)
  const { data, save } = usePreferences(preferences)
  const muted = data.mutedCategories
  return (
    <Card title={t('messages.inboxTitle')} description={t('messages.inboxText')}>
      <ErrorNotice error={save.error} className="m-4" />
      <PagedRows
        label={t('messages.list')}
        list={list}
        items={items}
        row={(message) => (
          <InboxRow
            key={message.id}
            message={message}
            unread={unread.has(message.id)}
            muted={muted.includes(message.category)}
            onMute={(mute) =>
              save.mutate({
                mutedCategories: mute
                  ? [...muted, message.category]
                  : muted.filter((category) => category !== message.category),
              })
            }
          />
        )}
        empty={
          <EmptyState icon={BellOff} title={t('messages.emptyTitle')} guide={<SendPushGuide />}>
            {t('messages.emptyText')}
          </EmptyState>
        }
      />
    </Card>
  )
}
