'use client'

import type { AdminPushToken } from '@pigeonhole/client/admin'
import { useState } from 'react'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { FirstPage } from '../first-page.ts'
import { SearchField, SearchSelect } from '../search-fields.tsx'
import { SearchForm } from '../search-form.tsx'
import { PushTokensCard, type TokenFilter } from './push-tokens-card.tsx'

/** The push tokens of all users, with a search. */
export function PushTokensPage({ first }: { first: FirstPage<AdminPushToken> }) {
  const { t } = useMessages()
  const [filter, setFilter] = useState<TokenFilter>({})
  const form = (
    <SearchForm label={t('admin.pushTokens.search')} filter={filter} onSearch={setFilter}>
      <SearchField label={t('admin.pushTokens.ofUser')} name="user" defaultValue={filter.user} />
      <SearchSelect
        label={t('admin.status')}
        name="status"
        defaultValue={filter.status}
        options={[
          { value: 'active', label: t('admin.pushTokens.active') },
          { value: 'expired', label: t('apiKeys.expired') },
          { value: 'revoked', label: t('apiKeys.revoked') },
        ]}
      />
    </SearchForm>
  )
  return <PushTokensCard first={first} search={{ filter, form, onClear: () => setFilter({}) }} />
}
