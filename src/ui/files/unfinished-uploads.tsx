'use client'

import { lazy, Suspense } from 'react'
import { Card } from '../components/card.tsx'
import { useWords } from '../i18n/messages-provider.tsx'
import type { FileItem } from './use-file-queries.ts'
import { useUnfinishedUploads } from './use-unfinished-uploads.ts'

/** A script of its own: most people have none. */
const UnfinishedUploadRow = lazy(async () => ({
  default: (await import('./unfinished-upload-row.tsx')).UnfinishedUploadRow,
}))

/** Uploads started in an earlier visit or on another device, to resume or discard. */
export function UnfinishedUploads({ files }: { files: FileItem[] }) {
  const { t } = useWords()
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
