import type { AdminPushToken } from '@pigeonhole/client/admin'
import { Breakable } from '../../components/breakable.tsx'
import { CredentialRow } from '../../components/credential-row.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { admin } from '../admin-client.ts'
import { PUSH_TOKEN_SCOPES } from './push-token-scopes.ts'

type PushTokenRowProps = { token: AdminPushToken; showOwner: boolean; onRevoked(): Promise<unknown> }

export function PushTokenRow({ token, showOwner, onRevoked }: PushTokenRowProps) {
  const { t } = useMessages()
  const { id, name, userId, user, scopes, suffix } = token
  const link = 'relative inline-block py-1 text-accent underline'
  const owner = (
    <>
      {showOwner && (
        <>
          <AppLink href={`/admin/users/${userId}`} className={link}>
            <bdi>
              <Breakable>{user.email ?? user.name ?? userId}</Breakable>
            </bdi>
          </AppLink>
          {' · '}
        </>
      )}
      <AppLink href={`/admin/broadcasts?pushTokenId=${id}`} className={link}>
        {t('admin.pushTokens.broadcasts')}
      </AppLink>
    </>
  )
  return (
    <CredentialRow
      credential={token}
      preview={`ph_…${suffix ?? ''}`}
      owner={owner}
      scopes={t('admin.pushTokens.canSendTo', {
        targets: scopes.map((scope) => t(PUSH_TOKEN_SCOPES[scope])).join(', '),
      })}
      revoke={{
        title: t('admin.pushTokens.revokeTitle'),
        description: t.rich('admin.pushTokens.revokeText', {
          token: name,
          name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
        }),
        doneText: t('apiKeys.revoked'),
        onConfirm: () => admin.pushTokens.revoke(id),
        onDeleted: onRevoked,
      }}
    />
  )
}
