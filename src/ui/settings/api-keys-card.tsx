import type { Outputs } from '@pigeonhole/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { Loading } from '../components/loading.tsx'
import { useSecretForm } from '../components/use-secret-form.ts'
import { useClients } from '../context/use-clients.ts'
import { Guide } from '../guidance/guide.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { ApiKeyRow } from './api-key-row.tsx'

// Loaded when the user creates a key.
const CreateApiKeyForm = lazy(async () => ({
  default: (await import('./create-api-key-form.tsx')).CreateApiKeyForm,
}))
const NewApiKey = lazy(async () => ({ default: (await import('./new-api-key.tsx')).NewApiKey }))

const KEY = ['api-keys']

type ApiKeysCardProps = { initial: Outputs['apiKeys']['list'] }

/** The user's API keys, for scripts. */
export function ApiKeysCard({ initial }: ApiKeysCardProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const queries = useQueryClient()
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: () => client.apiKeys.list.query(),
    initialData: initial,
  })
  const refresh = () => queries.invalidateQueries({ queryKey: KEY })
  const form = useSecretForm<{ token: string; scopes: string[] }>(refresh)
  const create = form.isIdle && <Button onClick={form.open}>{t('apiKeys.new')}</Button>
  return (
    <Card title={t('apiKeys.title')} titleHidden="phones" description={t('apiKeys.text')} actions={create}>
      <Suspense fallback={<Loading />}>
        {form.created && <NewApiKey {...form.created} onDone={form.done} />}
        {form.isOpen && <CreateApiKeyForm onCreated={form.onCreated} onCancel={form.cancel} />}
      </Suspense>
      {data.items.length === 0 ? (
        form.isIdle && (
          <EmptyState
            compact
            icon={KeyRound}
            title={t('apiKeys.emptyTitle')}
            guide={<Guide topic="upload" />}
          >
            {t('apiKeys.emptyText')}
          </EmptyState>
        )
      ) : (
        <ul aria-label={t('apiKeys.list')} className="divide-y divide-line">
          {data.items.map((key) => (
            <ApiKeyRow key={key.id} apiKey={key} onRevoked={refresh} />
          ))}
        </ul>
      )}
    </Card>
  )
}
