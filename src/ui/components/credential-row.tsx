import { KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { Badge } from './badge.tsx'
import { DeleteButton } from './delete-button.tsx'
import { IconTile } from './icon-tile.tsx'
import { LocalTime } from './local-time.tsx'

type CredentialRowProps = {
  credential: {
    name: string
    createdAt: string
    expiresAt: string
    lastUsedAt: string | null
    revokedAt?: string | null
  }
  /** Recognizable part of the credential, such as its last characters. */
  preview?: string
  /** Labels of its scopes. */
  scopes: string
  revoke: {
    title: string
    /** Consequence of the revocation, in one sentence. */
    description: ReactNode
    doneText: string
    onConfirm(): Promise<unknown>
    onDeleted(): void
  }
}

/** An API key: its scopes, its last use, and a button that revokes it. */
export function CredentialRow({ credential, preview, scopes, revoke }: CredentialRowProps) {
  const { t } = useMessages()
  const { name, createdAt, expiresAt, lastUsedAt, revokedAt } = credential
  const expired = !revokedAt && Date.parse(expiresAt) <= Date.now()
  return (
    <li className="flex items-center gap-3 px-4 py-3 sm:px-5">
      <IconTile icon={KeyRound} className="max-sm:hidden" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <bdi className="min-w-0 truncate">{name}</bdi>
          {preview && <code className="text-xs font-normal text-ink-soft">{preview}</code>}
          {revokedAt && <Badge>{t('apiKeys.revoked')}</Badge>}
          {expired && <Badge tone="warning">{t('apiKeys.expired')}</Badge>}
        </p>
        <p className="text-sm text-ink-soft">{scopes}</p>
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
      {!revokedAt && (
        <div className="-mr-3">
          <DeleteButton
            label={t('apiKeys.revoke', { name })}
            iconOnly
            confirmLabel={t('apiKeys.revokeConfirm')}
            {...revoke}
          />
        </div>
      )}
    </li>
  )
}
