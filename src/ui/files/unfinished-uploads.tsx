import { lazy, Suspense } from 'react'
import type { FileItem } from './use-file-queries.ts'
import { useUnfinishedUploads } from './use-unfinished-uploads.ts'

/** A separate script, because most users have no unfinished uploads. */
const UnfinishedUploadList = lazy(async () => ({
  default: (await import('./unfinished-upload-list.tsx')).UnfinishedUploadList,
}))

/** Unfinished uploads from an earlier visit or another device. */
export function UnfinishedUploads({ files }: { files: FileItem[] }) {
  const { unfinishedUploads, reload } = useUnfinishedUploads(files)
  if (unfinishedUploads.length === 0) return null
  return (
    <Suspense>
      <UnfinishedUploadList uploads={unfinishedUploads} onChange={reload} />
    </Suspense>
  )
}
