'use client'

import type { AdminPushToken } from '@pigeonhole/client/admin'
import { useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { NewSecret } from '../../components/new-secret.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { useSecretForm } from '../../components/use-secret-form.ts'
import { Guide } from '../../guidance/guide.tsx'
import { pushTokenSnippet } from '../../guidance/snippets.ts'
import { useSiteUrl } from '../../guidance/use-site-url.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { AdminPage } from '../admin-page.tsx'
import { CredentialHeads } from '../credentials/credential-columns.tsx'
import type { FirstPage } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { findUserId } from './find-user-id.ts'
import type { TokenFilter } from './push-token-filter.ts'
import { PushTokenRow, pushTokenGrid } from './push-token-row.tsx'

/** Few visitors of a user's page create a token. Loaded when somebody reaches the button, so that no focus is lost. */
const loadForm = async () => ({
  default: (await import('./create-push-token-form.tsx')).CreatePushTokenForm,
})
const CreatePushTokenForm = lazy(loadForm)
const preloadForm = () => void loadForm().catch(() => {})

type PushTokensCardProps = {
  owner?: { id: string; name: string }
  first?: FirstPage<AdminPushToken>
  /** Filters of the page. The card of one user has none, so that the user's page does not load their code. */
  search?: {
    filter: TokenFilter
    filters(status: ReactNode): ReactNode
    noMatches: ReactNode
    onClear(): void
  }
}

const NO_FILTER: TokenFilter = {}

type TokenStatus = 'active' | 'expired' | 'revoked' | undefined

/** Card with the push tokens of one user or, without `owner`, page with those of all users. */
export function PushTokensCard({ owner, first, search }: PushTokensCardProps) {
  const { t } = useMessages()
  const queries = useQueryClient()
  const siteUrl = useSiteUrl()
  const refresh = () => queries.invalidateQueries({ queryKey: ADMIN_KEYS.pushTokens })
  const form = useSecretForm<string>(refresh)
  const filter = search?.filter ?? NO_FILTER
  const isFiltered = Object.keys(filter).length > 0
  // Without a filter, the list shows the new token.
  function onCreated(token: string) {
    search?.onClear()
    return form.onCreated(token)
  }
  const Frame = owner ? Card : AdminPage
  const create = form.isIdle && (
    <Button
      variant={owner ? 'secondary' : 'primary'}
      onPointerEnter={preloadForm}
      onFocus={preloadForm}
      onClick={form.open}
    >
      {t('admin.pushTokens.new')}
    </Button>
  )
  return (
    <Frame
      title={t('admin.pushTokens.title')}
      {...(owner
        ? { emptyText: t('admin.pushTokens.emptyTitle') }
        : { description: t('admin.pushTokens.text') })}
      actions={create}
    >
      {form.created && (
        <NewSecret
          title={t('admin.pushTokens.createdTitle')}
          label={t('admin.pushTokens.secret')}
          secret={form.created}
          onDone={form.done}
        >
          <Snippet
            label={t('admin.pushTokens.command')}
            code={pushTokenSnippet(siteUrl, form.created)}
            wrap
          />
        </NewSecret>
      )}
      {form.isOpen && (
        <Suspense>
          <CreatePushTokenForm ownerId={owner?.id} onCreated={onCreated} onCancel={form.cancel} />
        </Suspense>
      )}
      <PagedList
        label={t('admin.pushTokens.title')}
        queryKey={[...ADMIN_KEYS.pushTokens, owner?.id, filter]}
        first={first}
        fetchPage={async (cursor, signal) => {
          const { user, status } = filter
          const userId = user === undefined ? owner?.id : await findUserId(user)
          return admin.pushTokens.list({ cursor, userId, status: status as TokenStatus }, signal)
        }}
        filters={form.isOpen ? undefined : search?.filters}
        count={(count) => t('admin.pushTokens.count', { count })}
        isUnfiltered={!isFiltered}
        expectedErrors={{ NOT_FOUND: 'admin.pushTokens.unknownUser' }}
        head={
          <CredentialHeads
            scopes={t('admin.pushTokens.scopes')}
            grid={pushTokenGrid(!owner)}
            showOwner={!owner}
          />
        }
        row={(token) => <PushTokenRow key={token.id} token={token} showOwner={!owner} onRevoked={refresh} />}
        empty={
          form.isOpen || owner
            ? null
            : isFiltered
              ? search?.noMatches
              : form.isIdle && (
                  <EmptyState
                    icon={KeyRound}
                    title={t('admin.pushTokens.emptyTitle')}
                    guide={<Guide topic="pushToken" />}
                  >
                    {t('admin.pushTokens.emptyText')}
                  </EmptyState>
                )
        }
      />
    </Frame>
  )
}
