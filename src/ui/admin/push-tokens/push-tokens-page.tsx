'use client'

import type { AdminPushToken } from '@pigeonhole/client/admin'
import type { ReactNode } from 'react'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { ListFilters } from '../filters/list-filters.tsx'
import { NoMatches } from '../filters/no-matches.tsx'
import { useListFilter } from '../filters/use-list-filter.ts'
import { type FirstMatches, firstOf } from '../first-page.ts'
import { TOKEN_FIELDS } from './push-token-filter.ts'
import { PushTokensCard } from './push-tokens-card.tsx'

/** The push tokens of all users, with filters. */
export function PushTokensPage({ first }: { first: FirstMatches<AdminPushToken> }) {
  const { t } = useMessages()
  const filters = useListFilter(TOKEN_FIELDS)
  const { filter } = filters
  const listFilters = (status: ReactNode) => (
    <ListFilters
      label={t('admin.pushTokens.search')}
      filters={filters}
      search={{ name: 'user', label: t('admin.pushTokens.ofUser') }}
      choice={{
        name: 'status',
        label: t('admin.status'),
        any: t('admin.anyStatus'),
        options: [
          { value: 'active', label: t('admin.pushTokens.active') },
          { value: 'expired', label: t('apiKeys.expired') },
          { value: 'revoked', label: t('apiKeys.revoked') },
        ],
      }}
      status={status}
    />
  )
  return (
    <PushTokensCard
      first={firstOf(first, filter)}
      search={{
        filter,
        filters: listFilters,
        noMatches: <NoMatches title={t('admin.pushTokens.noneTitle')} onClear={filters.clear} />,
        onClear: () => filters.apply({}),
      }}
    />
  )
}
