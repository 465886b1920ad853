'use client'

import { Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { buttonClass } from '../components/button-class.ts'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AppLink } from '../layout/app-link.tsx'
import { AddFiles } from '../uploads/add-files.tsx'
import type { FileLayout } from './list/file-layout.ts'
import { FileList } from './list/file-list.tsx'
import { type FileView, formatFileView } from './list/file-view.ts'
import { useFileLayout } from './list/use-file-layout.ts'
import { useFileList } from './list/use-file-list.ts'
import { useFileView } from './list/use-file-view.ts'
import { ShortcutsHelp } from './shortcuts-help.tsx'
import { StorageUse } from './storage-use.tsx'
import { UnfinishedUploads } from './unfinished-uploads.tsx'
import {
  type FileItem,
  type FilesPageData,
  hasFullStorage,
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
  layout: FileLayout
}

/** A separate script, because few users need it. */
const StorageFull = lazy(async () => ({ default: (await import('./storage-full.tsx')).StorageFull }))
// A separate script, because only users without files need it.
const Guide = lazy(async () => ({ default: (await import('../guidance/guide.tsx')).Guide }))

/** A constant array, because effects depend on its identity. */
const NO_FILES: FileItem[] = []

export function FilesPage({
  files,
  view: initialView,
  recent,
  usage,
  layout: initialLayout,
}: FilesPageProps) {
  const { t } = useMessages()
  const { user } = useSession()
  const view = useFileView()
  const list = useFileList(view[0], files, initialView)
  const layout = useFileLayout(initialLayout)
  const isDefault = formatFileView(view[0]) === ''
  const { data: recentFiles } = useRecentFiles(recent, !isDefault)
  const newest = isDefault ? list.all : (recentFiles ?? NO_FILES)
  const found = newest.length + list.stored.length > 0
  // While the newest files are loading or cannot be loaded, users keep what they had.
  const isUnknown = isDefault ? list.isLoading || list.error !== null : recentFiles === undefined
  const [hadFiles, setHadFiles] = useState(found)
  const hasFiles = found || (isUnknown && hadFiles)
  if (hasFiles !== hadFiles) setHadFiles(hasFiles)
  // The area for uploads then says all that an empty list would.
  const isEmpty = !hasFiles && isDefault && !list.error && !list.isLoading
  const { data: currentUsage } = useUsage(usage)
  // Before the first upload, there is nothing to look up in the storage details or the trash.
  const isUnused = !hasFiles && currentUsage.used + currentUsage.reserved === 0
  const isFull = !user.mustVerify && hasFullStorage(currentUsage)
  useFilesSync()
  return (
    <div className="space-y-4 sm:space-y-6">
      {/* On phones, the storage use is below the other columns. The second one gets the width that the others leave. */}
      <div className="grid grid-cols-[1fr_minmax(2.75rem,auto)_max-content] items-center gap-2 sm:flex sm:min-h-11 sm:gap-x-4">
        <h1 className="flex-1 text-xl font-semibold tracking-tight sm:text-2xl whitespace-nowrap">
          {t('files.title')}
        </h1>
        {/* Users without a verified email have no quota. The banner says why. */}
        {!user.mustVerify && <StorageUse usage={currentUsage} isUnused={isUnused} show={view[1]} />}
        {!isUnused && (
          <AppLink
            href="/trash"
            title={t('trash.title')}
            className={buttonClass('ghost', 'relative px-2 max-sm:last:col-span-2 print:hidden')}
          >
            {/* Where the label does not fit beside the icon, it wraps out of sight. */}
            <span className="flex h-5 flex-1 flex-wrap content-start justify-end gap-x-2 overflow-hidden leading-5">
              <Trash2 aria-hidden="true" className="my-0.5 size-4" />
              {t('trash.title')}
            </span>
          </AppLink>
        )}
        {hasFiles && !user.mustVerify && <AddFiles compact isFull={isFull} />}
      </div>
      {!hasFiles && <AddFiles isFull={isFull} />}
      {isFull && !isUnused && (
        <Suspense>
          <StorageFull usage={currentUsage} files={newest} show={view[1]} />
        </Suspense>
      )}
      {/* A search looks only for stored files. Hidden, because an upload to be discarded can still be restored. */}
      <div hidden={view[0].query !== ''} className="empty:hidden">
        <UnfinishedUploads files={newest} />
      </div>
      {isEmpty ? (
        <div className="text-sm text-ink-soft">
          <Suspense>
            <Guide topic="upload" />
          </Suspense>
        </div>
      ) : (
        <FileList list={list} view={view} layout={layout} />
      )}
      <ShortcutsHelp />
    </div>
  )
}
