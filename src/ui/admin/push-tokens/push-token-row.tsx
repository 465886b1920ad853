import type { AdminPushToken } from '@pigeonhole/client/admin'
import { Breakable } from '../../components/breakable.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { admin } from '../admin-client.ts'
import { CredentialColumns } from '../credentials/credential-columns.tsx'

type PushTokenRowProps = { token: AdminPushToken; showOwner: boolean; onRevoked(): Promise<unknown> }

const LINK = 'relative inline-block py-1 text-accent underline'

/** Columns of the list on wide screens. */
export function pushTokenGrid(showOwner: boolean): string {
  return showOwner
    ? 'lg:grid-cols-[minmax(0,1fr)_minmax(0,0.8fr)_10rem_8.5rem_6.5rem_5.25rem_7.25rem]'
    : 'lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_8rem_6.25rem_5.25rem_7.25rem]'
}

export function PushTokenRow({ token, showOwner, onRevoked }: PushTokenRowProps) {
  const { t } = useMessages()
  const { id, name, userId, user, scopes, suffix } = token
  return (
    <CredentialColumns
      credential={token}
      grid={pushTokenGrid(showOwner)}
      preview={`ph_…${suffix ?? ''}`}
      scopes={{
        label: t('admin.pushTokens.scopes'),
        texts: scopes.map((scope) => t(`admin.pushTokens.${scope}`)),
      }}
      owner={
        showOwner && (
          <AppLink href={`/admin/users/${userId}`} className={LINK}>
            <bdi>
              <Breakable>{user.email ?? user.name ?? userId}</Breakable>
            </bdi>
          </AppLink>
        )
      }
      link={
        <AppLink
          href={`/admin/broadcasts?pushTokenId=${id}`}
          aria-label={t('admin.pushTokens.broadcasts', { token: name })}
          className={LINK}
        >
          {t('admin.broadcasts.title')}
        </AppLink>
      }
      revoke={{
        title: t('admin.pushTokens.revokeTitle'),
        description: t.rich('admin.pushTokens.revokeText', {
          token: name,
          name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
        }),
        onConfirm: () => admin.pushTokens.revoke(id),
        onDeleted: onRevoked,
      }}
    />
  )
}
