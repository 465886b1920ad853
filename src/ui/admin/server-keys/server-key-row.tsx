import type { ServerKey } from '@pigeonhole/client/admin'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { CredentialColumns } from '../credentials/credential-columns.tsx'
import { SERVER_KEY_SCOPES } from './server-key-scopes.ts'

type ServerKeyRowProps = { serverKey: ServerKey; onRevoked(): Promise<unknown> }

/** Columns of the list on wide screens. */
export const SERVER_KEY_GRID = 'lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_8rem_6.25rem_5.25rem_7.25rem]'

export function ServerKeyRow({ serverKey, onRevoked }: ServerKeyRowProps) {
  const { t } = useMessages()
  const { id, name, suffix, scopes } = serverKey
  return (
    <CredentialColumns
      credential={serverKey}
      grid={SERVER_KEY_GRID}
      preview={`sk_…${suffix}`}
      scopes={{
        label: t('apiKeys.scopes'),
        texts: scopes.map((scope) => t(SERVER_KEY_SCOPES[scope])),
      }}
      revoke={{
        title: t('admin.serverKeys.revokeTitle'),
        description: t.rich('admin.serverKeys.revokeText', {
          key: name,
          name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
        }),
        onConfirm: () => admin.serverKeys.revoke(id),
        onDeleted: onRevoked,
      }}
    />
  )
}
