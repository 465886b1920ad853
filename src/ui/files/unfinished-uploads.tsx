import { lazy, Suspense } from 'react'
import { Card } from '../components/card.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import type { FileItem } from './use-file-queries.ts'
import { useUnfinishedUploads } from './use-unfinished-uploads.ts'

/** A separate script, because most users have no unfinished uploads. */
const UnfinishedUploadRow = lazy(async () => ({
  default: (await import('./unfinished-upload-row.tsx')).UnfinishedUploadRow,
}))

/** Unfinished uploads from an earlier visit or another device, with buttons that resume and discard them. */
export function UnfinishedUploads({ files }: { files: FileItem[] }) {
  const { t } = useMessages()
  const { unfinishedUploads, reload } = useUnfinishedUploads(files)
  if (unfinishedUploads.length === 0) return null
  return (
    <Card title={t('unfinished.title')} description={t('unfinished.text')}>
      <Suspense>
        <ul className="divide-y divide-line">
          {unfinishedUploads.map((upload) => (
            <UnfinishedUploadRow key={upload.fileId} upload={upload} onChange={reload} />
          ))}
        </ul>
      </Suspense>
    </Card>
  )
}
