import type { BackendFile } from '@pigeonhole/client/admin'
import { Card } from '../../components/card.tsx'
import { CopyableCode } from '../../components/copy-button.tsx'
import { DataList, DetailList } from '../../components/detail-list.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { fileTypeKey } from '../../files/file-type-key.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { OwnerLink } from './owner-link.tsx'

/** A file's fields, and the values that its app stored with it. */
export function FileDetailsCard({ file }: { file: BackendFile }) {
  const { t, format } = useMessages()
  const { id, key, mimeType, size, state, policy, data, visibility, createdAt, readyAt, expiresAt } = file
  const typeKey = fileTypeKey(mimeType)
  const time = (at: string | null) => at && <LocalTime at={at} />
  return (
    <>
      <Card title={t('admin.files.facts')}>
        <DetailList
          details={[
            [t('admin.files.owner'), <OwnerLink key="owner" file={file} />],
            [t('admin.files.size'), format.bytes(size)],
            [t('admin.files.type'), typeKey ? t(typeKey) : mimeType],
            [t('admin.files.policy'), policy],
            [
              t('admin.files.visibility'),
              t(visibility === 'public' ? 'admin.files.public' : 'admin.files.private'),
            ],
            [t('admin.files.created'), time(createdAt)],
            [t('admin.files.readySince'), time(readyAt)],
            [t('admin.files.expires'), state === 'HELD' ? null : time(expiresAt)],
            [t('admin.files.id'), <CopyableCode key="id" code={id} label={t('admin.files.copyId')} />],
            [t('admin.files.key'), <CopyableCode key="key" code={key} label={t('admin.files.copyKey')} />],
          ]}
        />
      </Card>
      {data && (
        <Card title={t('admin.files.data')}>
          <DataList data={data} />
        </Card>
      )}
    </>
  )
}
