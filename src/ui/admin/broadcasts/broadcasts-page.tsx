'use client'

import type { AdminBroadcast, AdminBroadcastSearch, AdminPushToken } from '@pigeonhole/client/admin'
import { useQueryClient } from '@tanstack/react-query'
import { RadioTower, SearchX } from 'lucide-react'
import { useState } from 'react'
import { buttonClass } from '../../components/button-class.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Guide } from '../../guidance/guide.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { admin } from '../admin-client.ts'
import { AdminPage } from '../admin-page.tsx'
import { ColumnHeads } from '../columns.tsx'
import type { FirstPage } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { SearchField, SearchSelect } from '../search-fields.tsx'
import { SearchForm } from '../search-form.tsx'
import { BroadcastRow } from './broadcast-row.tsx'
import { BROADCAST_GRID, BROADCAST_STATUS, isSending, REFRESH_MS } from './broadcast-status.ts'

const refetchMs = (items: AdminBroadcast[]) =>
  items.some(({ status }) => isSending(status)) ? REFRESH_MS : false

type Filter = AdminBroadcastSearch

type BroadcastsPageProps = {
  /** Initial filter, from the page's address. */
  pushTokenId: string | undefined
  /** Push tokens to choose from. */
  tokens: Pick<AdminPushToken, 'id' | 'name' | 'suffix'>[]
  first: FirstPage<AdminBroadcast>
}

const STATUSES = ['scheduled', 'queued', 'sending', 'completed', 'cancelled'] as const

/** Broadcasts and scheduled messages of all push tokens. */
export function BroadcastsPage({ pushTokenId, tokens, first }: BroadcastsPageProps) {
  const { t } = useMessages()
  const queries = useQueryClient()
  const [initial] = useState<Filter>({ pushTokenId })
  const [filter, setFilter] = useState(initial)
  const tokenOptions = tokens.map(({ id, name, suffix }) => ({
    value: id,
    label: suffix === null ? name : `${name} (…${suffix})`,
  }))
  if (pushTokenId !== undefined && !tokens.some(({ id }) => id === pushTokenId))
    tokenOptions.push({ value: pushTokenId, label: pushTokenId })
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
      <SearchForm
        label={t('admin.broadcasts.search')}
        filter={filter}
        onSearch={setFilter}
        more={{
          names: ['pushTokenId'],
          columns: 'sm:max-w-md sm:grid-cols-1',
          fields: (
            <SearchSelect
              label={t('admin.broadcasts.token')}
              name="pushTokenId"
              defaultValue={filter.pushTokenId}
              options={tokenOptions}
            />
          ),
        }}
      >
        <SearchField label={t('compose.topic')} name="topic" maxLength={100} />
        <SearchSelect
          label={t('admin.status')}
          name="status"
          options={STATUSES.map((value) => ({ value, label: t(BROADCAST_STATUS[value]) }))}
        />
      </SearchForm>
      <PagedList
        label={t('admin.broadcasts.title')}
        queryKey={[...ADMIN_KEYS.broadcasts, filter]}
        first={filter === initial ? first : undefined}
        fetchPage={(cursor, signal) => admin.broadcasts.list({ cursor, ...filter }, signal)}
        refetchMs={refetchMs}
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
          Object.values(filter).some((value) => value !== undefined) ? (
            <EmptyState icon={SearchX} title={t('admin.broadcasts.noneTitle')}>
              {t('admin.audit.noneText')}
            </EmptyState>
          ) : (
            <EmptyState
              icon={RadioTower}
              title={t('admin.broadcasts.emptyTitle')}
              guide={<Guide topic="broadcast" />}
            >
              <p>{t('admin.broadcasts.emptyText')}</p>
              <AppLink
                href="/messages/new"
                className={buttonClass('primary', 'relative mt-4')}
                data-has-action
              >
                {t('compose.title')}
              </AppLink>
            </EmptyState>
          )
        }
      />
    </AdminPage>
  )
}
