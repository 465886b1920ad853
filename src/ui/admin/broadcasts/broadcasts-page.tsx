'use client'

import type { AdminBroadcast, AdminBroadcastSearch, AdminPushToken } from '@pigeonhole/client/admin'
import { useQueryClient } from '@tanstack/react-query'
import { RadioTower } from 'lucide-react'
import { buttonClass } from '../../components/button-class.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Guide } from '../../guidance/guide.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { admin } from '../admin-client.ts'
import { AdminPage } from '../admin-page.tsx'
import { ColumnHeads } from '../columns.tsx'
import { FilterField, FilterSelect } from '../filters/filter-fields.tsx'
import { ListFilters } from '../filters/list-filters.tsx'
import { NoMatches } from '../filters/no-matches.tsx'
import { useListFilter } from '../filters/use-list-filter.ts'
import { type FirstMatches, firstOf } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { BROADCAST_FIELDS, STATUSES } from './broadcast-filter.ts'
import { BroadcastRow } from './broadcast-row.tsx'
import { BROADCAST_GRID, BROADCAST_STATUS, isSending, REFRESH_MS } from './broadcast-status.ts'

const refetchMs = (items: AdminBroadcast[]) =>
  items.some(({ status }) => isSending(status)) ? REFRESH_MS : false

type BroadcastsPageProps = {
  /** Push tokens to choose from. */
  tokens: Pick<AdminPushToken, 'id' | 'name' | 'suffix'>[]
  first: FirstMatches<AdminBroadcast>
}

/** Broadcasts and scheduled messages of all push tokens. */
export function BroadcastsPage({ tokens, first }: BroadcastsPageProps) {
  const { t } = useMessages()
  const queries = useQueryClient()
  const filters = useListFilter(BROADCAST_FIELDS)
  const { filter } = filters
  return (
    <AdminPage
      title={t('admin.broadcasts.title')}
      description={t('admin.broadcasts.text')}
      actions={
        <AppLink href="/messages/new" className={buttonClass('primary', 'relative')}>
          {t('compose.title')}
        </AppLink>
      }
    >
      <PagedList
        label={t('admin.broadcasts.title')}
        queryKey={[...ADMIN_KEYS.broadcasts, filter]}
        first={firstOf(first, filter)}
        fetchPage={(cursor, signal) =>
          admin.broadcasts.list({ ...(filter as AdminBroadcastSearch), cursor }, signal)
        }
        refetchMs={refetchMs}
        count={(count) => t('admin.broadcasts.count', { count })}
        isUnfiltered={!filters.isActive}
        filters={(status) => (
          <ListFilters
            label={t('admin.broadcasts.search')}
            filters={filters}
            search={{ name: 'query', label: t('admin.broadcasts.titleField'), maxLength: 100 }}
            choice={{
              name: 'status',
              label: t('admin.status'),
              any: t('admin.anyStatus'),
              options: STATUSES.map((value) => ({ value, label: t(BROADCAST_STATUS[value]) })),
            }}
            more={{
              names: ['topic', 'pushTokenId'],
              columns: 'sm:max-w-2xl',
              fields: (
                <>
                  <FilterField label={t('compose.topic')} name="topic" maxLength={100} />
                  <FilterSelect
                    label={t('admin.broadcasts.token')}
                    name="pushTokenId"
                    options={tokens.map(({ id, name, suffix }) => ({
                      value: id,
                      label: suffix === null ? name : `${name} (…${suffix})`,
                    }))}
                  />
                </>
              ),
            }}
            status={status}
          />
        )}
        head={
          <ColumnHeads
            grid={`gap-x-4 ${BROADCAST_GRID}`}
            columns={[
              { label: t('admin.broadcasts.message') },
              { label: t('admin.status') },
              { label: t('admin.broadcasts.to') },
              { label: t('admin.broadcasts.sent'), isNumber: true },
              { label: t('admin.broadcasts.failed'), isNumber: true },
              { label: t('admin.broadcasts.removed'), isNumber: true },
            ]}
          />
        }
        row={(broadcast) => (
          <BroadcastRow
            key={broadcast.id}
            broadcast={broadcast}
            onCancelled={() => queries.invalidateQueries({ queryKey: ADMIN_KEYS.broadcasts })}
          />
        )}
        empty={
          filters.isActive ? (
            <NoMatches title={t('admin.broadcasts.noneTitle')} onClear={filters.clear} />
          ) : (
            <EmptyState
              icon={RadioTower}
              title={t('admin.broadcasts.emptyTitle')}
              guide={<Guide topic="broadcast" />}
            >
              {t('admin.broadcasts.emptyText')}
            </EmptyState>
          )
        }
      />
    </AdminPage>
  )
}
