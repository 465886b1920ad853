'use client'

import type { ServerKey } from '@pigeonhole/client/admin'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { NewSecret } from '../../components/new-secret.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { useSecretForm } from '../../components/use-secret-form.ts'
import { Guide } from '../../guidance/guide.tsx'
import { serverKeySnippet } from '../../guidance/snippets.ts'
import { useSiteUrl } from '../../guidance/use-site-url.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { AdminPage } from '../admin-page.tsx'
import { CredentialHeads } from '../credentials/credential-columns.tsx'
import { type FirstResponse, startingWith } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { type CreatedServerKey, CreateServerKeyForm } from './create-server-key-form.tsx'
import { SERVER_KEY_GRID, ServerKeyRow } from './server-key-row.tsx'

/** The keys of apps' backends, with a form that creates one. */
export function ServerKeysPage({ first }: { first: FirstResponse<{ items: ServerKey[] }> }) {
  const { t } = useMessages()
  const queries = useQueryClient()
  const siteUrl = useSiteUrl()
  const refresh = () => queries.invalidateQueries({ queryKey: ADMIN_KEYS.serverKeys })
  const form = useSecretForm<CreatedServerKey>(refresh)
  const { data, error, refetch } = useQuery({
    ...startingWith(first),
    queryKey: ADMIN_KEYS.serverKeys,
    queryFn: ({ signal }) => admin.serverKeys.list(signal),
    refetchOnWindowFocus: false,
  })
  const create = form.isIdle && (
    <Button variant="primary" onClick={form.open}>
      {t('admin.serverKeys.new')}
    </Button>
  )
  return (
    <AdminPage title={t('admin.serverKeys.title')} description={t('admin.serverKeys.text')} actions={create}>
      {form.created && (
        <NewSecret
          title={t('admin.serverKeys.createdTitle')}
          label={t('admin.serverKeys.secret')}
          secret={form.created.key}
          onDone={form.done}
        >
          <Snippet
            label={t('apiKeys.command')}
            code={serverKeySnippet(siteUrl, form.created.key, form.created.scopes)}
            wrap
          />
        </NewSecret>
      )}
      {form.isOpen && <CreateServerKeyForm onCreated={form.onCreated} onCancel={form.cancel} />}
      <ErrorNotice error={error} onRetry={refetch} className="m-4 sm:mx-5" />
      {!data && !error && <Loading />}
      {data?.items.length === 0 && form.isIdle && (
        <EmptyState
          icon={KeyRound}
          title={t('admin.serverKeys.emptyTitle')}
          guide={<Guide topic="serverKey" />}
        >
          {t('admin.serverKeys.emptyText')}
        </EmptyState>
      )}
      {data && data.items.length > 0 && (
        <>
          <CredentialHeads scopes={t('apiKeys.scopes')} grid={SERVER_KEY_GRID} />
          <ul aria-label={t('admin.serverKeys.title')} className="divide-y divide-line">
            {data.items.map((key) => (
              <ServerKeyRow key={key.id} serverKey={key} onRevoked={refresh} />
            ))}
          </ul>
        </>
      )}
    </AdminPage>
  )
}
