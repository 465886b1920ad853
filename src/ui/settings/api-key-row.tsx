'use client'

import type { Outputs } from '@pigeonhole/client'
import { KeyRound } from 'lucide-react'
import { Badge } from '../components/badge.tsx'
import { DeleteButton } from '../components/delete-button.tsx'
import { IconTile } from '../components/icon-tile.tsx'
import { LocalTime } from '../components/local-time.tsx'
import { useClients } from '../context/use-clients.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { scopeLabel } from './api-key-scopes.ts'

type ApiKeyRowProps = { apiKey: Outputs['apiKeys']['list']['items'][number]; onRevoked(): void }

export function ApiKeyRow({ apiKey, onRevoked }: ApiKeyRowProps) {
  const { client } = useClients()
  const { t } = useWords()
  const { id, name, scopes, expiresAt, lastUsedAt } = apiKey
  const labels = scopes.map((scope) => {
    const label = scopeLabel(scope)
    return label ? t(label) : scope
  })
  return (
    <li className="flex items-center gap-3 px-4 py-3 sm:px-5">
      <IconTile icon={KeyRound} />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <bdi className="min-w-0 truncate">{name}</bdi>
          {Date.parse(expiresAt) <= Date.now() && <Badge tone="warning">{t('apiKeys.expired')}</Badge>}
        </p>
        <p className="text-sm text-ink-soft">{labels.join(' · ')}</p>
        <p className="text-sm text-ink-soft tabular-nums">
          {lastUsedAt
            ? t.rich('apiKeys.lastUsed', { time: lastUsedAt, when: () => <LocalTime at={lastUsedAt} /> })
            : t('apiKeys.neverUsed')}
          {' · '}
          {t.rich('apiKeys.expires', { time: expiresAt, when: () => <LocalTime at={expiresAt} dayOnly /> })}
        </p>
      </div>
      <div className="-mr-3">
        <DeleteButton
          label={t('apiKeys.revoke', { name })}
          iconOnly
          title={t('apiKeys.revokeTitle')}
          description={t.rich('apiKeys.revokeText', {
            key: name,
            name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
          })}
          confirmLabel={t('apiKeys.revokeConfirm')}
          doneText={t('apiKeys.revoked')}
          onConfirm={() => client.apiKeys.revoke.mutate({ id })}
          onDeleted={onRevoked}
        />
      </div>
    </li>
  )
}
