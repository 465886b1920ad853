'use client'

import type { AdminBroadcast } from '@pigeonhole/client/admin'
import { useQueryClient } from '@tanstack/react-query'
import { RadioTower } from 'lucide-react'
import { Card } from '../../components/card.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { BroadcastGuide } from '../../guidance/admin-guides.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { AdminHeading } from '../admin-heading.tsx'
import type { FirstPage } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { BroadcastRow } from './broadcast-row.tsx'
import { isUnfinished } from './broadcast-status.ts'

/** Refresh interval while a broadcast is being sent. Each call adds an entry to the audit log. */
const REFRESH_MS = 3_000

const refetchMs = (items: AdminBroadcast[]) =>
  items.some(({ status }) => status === 'queued' || status === 'sending') ? REFRESH_MS : false

/** Broadcasts and scheduled messages of all push tokens. */
export function BroadcastsPage({ first }: { first: FirstPage<AdminBroadcast> }) {
  const { t } = useMessages()
  const queries = useQueryClient()
  return (
    <div className="space-y-6">
      <AdminHeading>{t('admin.broadcasts.title')}</AdminHeading>
      <Card>
        <PagedList
          label={t('admin.broadcasts.title')}
          queryKey={ADMIN_KEYS.broadcasts}
          first={first}
          fetchPage={(cursor, signal) => admin.broadcasts.list({ cursor }, signal)}
          refetchMs={refetchMs}
          row={(broadcast) => (
            <BroadcastRow
              key={broadcast.id}
              broadcast={broadcast}
              canCancel={isUnfinished(broadcast.status)}
              onCancelled={() => queries.invalidateQueries({ queryKey: ADMIN_KEYS.broadcasts })}
            />
          )}
          empty={
            <EmptyState icon={RadioTower} title={t('admin.broadcasts.emptyTitle')} guide={<BroadcastGuide />}>
              {t('admin.broadcasts.emptyText')}
            </EmptyState>
          }
        />
      </Card>
    </div>
  )
}
