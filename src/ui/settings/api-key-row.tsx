import type { Outputs } from '@pigeonhole/client'
import { KeyRound } from 'lucide-react'
import { Badge } from '../components/badge.tsx'
import { DottedParts } from '../components/dotted-parts.tsx'
import { LocalTime } from '../components/local-time.tsx'
import { RevokeButton } from '../components/revoke-button.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { scopeLabel } from './api-key-scopes.ts'
import { SettingsRow } from './settings-row.tsx'

type ApiKeyRowProps = { apiKey: Outputs['apiKeys']['list']['items'][number]; onRevoked(): void }

/** An API key: its scopes, its last use, and a button that revokes it. */
export function ApiKeyRow({ apiKey, onRevoked }: ApiKeyRowProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const { id, name, scopes, suffix, createdAt, expiresAt, lastUsedAt } = apiKey
  const labels = scopes.map((scope) => {
    const label = scopeLabel(scope)
    return label ? t(label) : scope
  })
  return (
    <SettingsRow
      icon={KeyRound}
      title={
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <bdi className="min-w-0 wrap-anywhere">{name}</bdi>
          {Date.parse(expiresAt) <= Date.now() && <Badge tone="warning">{t('apiKeys.expired')}</Badge>}
        </p>
      }
      actions={
        <RevokeButton
          name={name}
          revoke={{
            title: t('apiKeys.revokeTitle'),
            description: t.rich('apiKeys.revokeText', {
              key: name,
              name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
            }),
            onConfirm: () => client.apiKeys.revoke.mutate({ id }),
            onDeleted: onRevoked,
          }}
        />
      }
    >
      <p>
        <DottedParts
          parts={[<code key="code" className="text-xs">{`pk_…${suffix ?? ''}`}</code>, ...labels]}
        />
      </p>
      <p>
        <DottedParts
          capitalized
          parts={[
            t.rich('apiKeys.createdOn', {
              time: createdAt,
              when: () => <LocalTime at={createdAt} dayOnly />,
            }),
            lastUsedAt
              ? t.rich('apiKeys.lastUsed', { time: lastUsedAt, when: () => <LocalTime at={lastUsedAt} /> })
              : t('apiKeys.neverUsed'),
            t.rich('apiKeys.expires', { time: expiresAt, when: () => <LocalTime at={expiresAt} dayOnly /> }),
          ]}
        />
      </p>
    </SettingsRow>
  )
}
