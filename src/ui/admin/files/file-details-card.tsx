import type { BackendFile } from '@pigeonhole/client/admin'
import { Card } from '../../components/card.tsx'
import { DataList, DetailList } from '../../components/detail-list.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { OwnerLink } from './owner-link.tsx'

/** A file's fields, and the values that its app stored with it. */
export function FileDetailsCard({ file }: { file: BackendFile }) {
  const { t, format } = useMessages()
  const { id, key, mimeType, size, state, policy, data, visibility, createdAt, readyAt, expiresAt } = file
  const time = (at: string | null) => at && <LocalTime at={at} />
  return (
    <>
      <Card title={t('admin.files.facts')}>
        <DetailList
          details={[
            [t('admin.files.owner'), <OwnerLink key="owner" file={file} />],
            [t('admin.files.size'), format.bytes(size)],
            [t('admin.files.type'), mimeType],
            [t('admin.files.policy'), policy],
            [
              t('admin.files.visibility'),
              t(visibility === 'public' ? 'admin.files.public' : 'admin.files.private'),
            ],
            [t('admin.files.created'), time(createdAt)],
            [t('admin.files.readySince'), time(readyAt)],
            [t(state === 'HELD' ? 'admin.files.decidedAt' : 'admin.files.expires'), time(expiresAt)],
            [
              t('admin.files.id'),
              <code key="id" className="text-xs">
                {id}
              </code>,
            ],
            [
              t('admin.files.key'),
              <code key="key" className="text-xs">
                {key}
              </code>,
            ],
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
