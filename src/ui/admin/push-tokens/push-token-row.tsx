'use client'

import type { AdminPushToken } from '@pigeonhole/client/admin'
import { Badge } from '../../components/badge.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { useWords } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { admin } from '../admin-client.ts'
import { PUSH_TOKEN_SCOPES } from './push-token-scopes.ts'

type PushTokenRowProps = { token: AdminPushToken; showOwner: boolean; onRevoked(): Promise<unknown> }

export function PushTokenRow({ token, showOwner, onRevoked }: PushTokenRowProps) {
  const { t } = useWords()
  const { id, name, userId, user, scopes, expiresAt, lastUsedAt, revokedAt } = token
  const expired = !revokedAt && Date.parse(expiresAt) <= Date.now()
  return (
    <li className="flex items-center gap-3 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <bdi className="min-w-0">{name}</bdi>
          {revokedAt && <Badge>{t('admin.pushTokens.revoked')}</Badge>}
          {expired && <Badge tone="warning">{t('admin.pushTokens.expired')}</Badge>}
        </p>
        {showOwner && (
          <p className="text-sm">
            <AppLink
              href={`/admin/users/${userId}`}
              className="relative inline-block py-1 text-accent underline"
            >
              <bdi>{user.email ?? user.name ?? userId}</bdi>
            </AppLink>
          </p>
        )}
        <p className="text-sm text-ink-soft">
          {t('admin.pushTokens.mayTo', {
            targets: scopes.map((scope) => t(PUSH_TOKEN_SCOPES[scope])).join(', '),
          })}
        </p>
        <p className="text-sm text-ink-soft tabular-nums">
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
            title={t('admin.pushTokens.revokeTitle')}
            description={t.rich('admin.pushTokens.revokeText', {
              token: name,
              name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
            })}
            confirmLabel={t('apiKeys.revokeConfirm')}
            doneText={t('admin.pushTokens.revoked')}
            onConfirm={() => admin.pushTokens.revoke(id)}
            onDeleted={onRevoked}
          />
        </div>
      )}
    </li>
  )
}
