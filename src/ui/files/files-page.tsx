'use client'

import { useSession } from '../context/use-session.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { AddFiles } from '../uploads/add-files.tsx'
import { FileList } from './file-list.tsx'
import { QuotaMeter } from './quota-meter.tsx'
import { UnfinishedUploads } from './unfinished-uploads.tsx'
import { type FilesPageData, type Usage, useFiles, useUsage } from './use-file-queries.ts'
import { useFilesSync } from './use-files-sync.ts'

export function FilesPage({ files, usage }: { files: FilesPageData; usage: Usage }) {
  const { t } = useWords()
  const { user } = useSession()
  const list = useFiles(files)
  const { data: currentUsage } = useUsage(usage)
  useFilesSync()
  return (
    <div className="space-y-6">
      <div className="flex flex-wrap items-end justify-between gap-4">
        <h1 className="text-2xl font-semibold tracking-tight">{t('files.title')}</h1>
        {/* Without a proven email there is no quota; the banner says why. */}
        {!user.mustVerify && <QuotaMeter usage={currentUsage} />}
      </div>
      <AddFiles />
      <UnfinishedUploads files={list.data.pages.flatMap((page) => page.items)} />
      <FileList list={list} />
    </div>
  )
}
