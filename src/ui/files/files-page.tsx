'use client'

import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AddFiles } from '../uploads/add-files.tsx'
import { FileList } from './list/file-list.tsx'
import { type FileView, formatFileView } from './list/file-view.ts'
import { useFileList } from './list/use-file-list.ts'
import { useFileView } from './list/use-file-view.ts'
import { StorageUse } from './storage-use.tsx'
import { UnfinishedUploads } from './unfinished-uploads.tsx'
import {
  type FileItem,
  type FilesPageData,
  type Usage,
  useRecentFiles,
  useUsage,
} from './use-file-queries.ts'
import { useFilesSync } from './use-files-sync.ts'

type FilesPageProps = {
  /** First page of `view`, as rendered by the server. */
  files: FilesPageData
  view: FileView
  /** The newest files in any state; undefined if `files` contains them. */
  recent: FileItem[] | undefined
  usage: Usage
}

/** A constant array, because effects depend on its identity. */
const NO_FILES: FileItem[] = []

export function FilesPage({ files, view: initialView, recent, usage }: FilesPageProps) {
  const { t } = useMessages()
  const { user } = useSession()
  const view = useFileView()
  const list = useFileList(view[0], files, initialView)
  const isDefault = formatFileView(view[0]) === ''
  const { data: recentFiles } = useRecentFiles(recent, !isDefault)
  const { data: currentUsage } = useUsage(usage)
  useFilesSync()
  return (
    <div className="space-y-6">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <h1 className="text-2xl font-semibold tracking-tight">{t('files.title')}</h1>
        {/* Users without a verified email have no quota. The banner says why. */}
        {!user.mustVerify && <StorageUse usage={currentUsage} show={view[1]} />}
      </div>
      <AddFiles />
      <UnfinishedUploads files={isDefault ? list.all : (recentFiles ?? NO_FILES)} />
      <FileList list={list} view={view} />
    </div>
  )
}
