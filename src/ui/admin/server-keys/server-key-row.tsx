import type { ServerKey } from '@pigeonhole/client/admin'
import { CredentialRow } from '../../components/credential-row.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { SERVER_KEY_SCOPES } from './server-key-scopes.ts'

type ServerKeyRowProps = { serverKey: ServerKey; onRevoked(): Promise<unknown> }

export function ServerKeyRow({ serverKey, onRevoked }: ServerKeyRowProps) {
  const { t } = useMessages()
  const { id, name, suffix, scopes } = serverKey
  return (
    <CredentialRow
      credential={serverKey}
      preview={`sk_…${suffix}`}
      scopes={scopes.map((scope) => t(SERVER_KEY_SCOPES[scope])).join(', ')}
      revoke={{
        title: t('admin.serverKeys.revokeTitle'),
        description: t.rich('admin.serverKeys.revokeText', {
          key: name,
          name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
        }),
        doneText: t('apiKeys.revoked'),
        onConfirm: () => admin.serverKeys.revoke(id),
        onDeleted: onRevoked,
      }}
    />
  )
}
