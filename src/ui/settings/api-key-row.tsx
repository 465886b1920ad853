import type { Outputs } from '@pigeonhole/client'
import { KeyRound } from 'lucide-react'
import { Badge } from '../components/badge.tsx'
import { IconTile } from '../components/icon-tile.tsx'
import { LocalTime } from '../components/local-time.tsx'
import { RevokeButton } from '../components/revoke-button.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { scopeLabel } from './api-key-scopes.ts'

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
    <li className="flex items-center gap-3 px-4 py-3 sm:px-5">
      <IconTile icon={KeyRound} className="max-sm:hidden" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <bdi className="min-w-0 truncate">{name}</bdi>
          <code className="text-xs font-normal text-ink-soft">{`pk_…${suffix ?? ''}`}</code>
          {Date.parse(expiresAt) <= Date.now() && <Badge tone="warning">{t('apiKeys.expired')}</Badge>}
        </p>
        <p className="text-sm text-ink-soft">{labels.join(' · ')}</p>
        <p className="text-sm text-ink-soft tabular-nums first-letter:uppercase">
          {t.rich('apiKeys.createdOn', { time: createdAt, when: () => <LocalTime at={createdAt} dayOnly /> })}
          {' · '}
          {lastUsedAt
            ? t.rich('apiKeys.lastUsed', { time: lastUsedAt, when: () => <LocalTime at={lastUsedAt} /> })
            : t('apiKeys.neverUsed')}
          {' · '}
          {t.rich('apiKeys.expires', { time: expiresAt, when: () => <LocalTime at={expiresAt} dayOnly /> })}
        </p>
      </div>
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
    </li>
  )
}
