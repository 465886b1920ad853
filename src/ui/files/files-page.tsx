'use client'

import { useSession } from '../context/use-session.ts'
import { useWords } from '../i18n/messages-provider.tsx'
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
  /** Of `view`, which is in the address that the server was asked for. */
  files: FilesPageData
  view: FileView
  /** The newest files in whatever state; undefined where `files` has them. */
  recent: FileItem[] | undefined
  usage: Usage
}

/** The same array every time: effects depend on it. */
const NO_FILES: FileItem[] = []

export function FilesPage({ files, view: initialView, recent, usage }: FilesPageProps) {
  const { t } = useWords()
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
        {/* Without a proven email there is no quota; the banner says why. */}
        {!user.mustVerify && <StorageUse usage={currentUsage} show={view[1]} />}
      </div>
      <AddFiles />
      <UnfinishedUploads files={isDefault ? list.all : (recentFiles ?? NO_FILES)} />
      <FileList list={list} view={view} />
    </div>
  )
}
