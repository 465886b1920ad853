import type { Outputs } from '@pigeonhole/client'
import { CredentialRow } from '../components/credential-row.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { scopeLabel } from './api-key-scopes.ts'

type ApiKeyRowProps = { apiKey: Outputs['apiKeys']['list']['items'][number]; onRevoked(): void }

export function ApiKeyRow({ apiKey, onRevoked }: ApiKeyRowProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const { id, name, scopes, suffix } = apiKey
  const labels = scopes.map((scope) => {
    const label = scopeLabel(scope)
    return label ? t(label) : scope
  })
  return (
    <CredentialRow
      credential={apiKey}
      preview={`pk_…${suffix ?? ''}`}
      scopes={labels.join(' · ')}
      revoke={{
        title: t('apiKeys.revokeTitle'),
        description: t.rich('apiKeys.revokeText', {
          key: name,
          name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
        }),
        doneText: t('apiKeys.revoked'),
        onConfirm: () => client.apiKeys.revoke.mutate({ id }),
        onDeleted: onRevoked,
      }}
    />
  )
}
