'use client'

import type { UploadSource } from '@pigeonhole/client/browser'
import { useState } from 'react'
import { useClients } from '../context/use-clients.ts'
import { DropZone } from './drop-zone.tsx'
import { FileList } from './file-list.tsx'
import { QuotaMeter } from './quota-meter.tsx'
import { UnfinishedUploads } from './unfinished-uploads.tsx'
import { UploadQueue } from './upload-queue.tsx'
import { type FilesPageData, type Usage, useFiles, useUsage } from './use-file-queries.ts'
import { useFilesSync } from './use-files-sync.ts'

export function FilesPage({ files, usage }: { files: FilesPageData; usage: Usage }) {
  const { uploader } = useClients()
  const list = useFiles(files)
  const { data: currentUsage } = useUsage(usage)
  const [announcement, setAnnouncement] = useState('')
  useFilesSync()

  function addFiles(sources: UploadSource[]) {
    for (const source of sources) uploader.upload(source)
    if (sources.length > 0)
      setAnnouncement(`${sources.length === 1 ? sources[0]!.name : `${sources.length} files`} added`)
  }

  return (
    <div className="space-y-6">
      <div className="flex flex-wrap items-end justify-between gap-4">
        <h1 className="text-2xl font-semibold tracking-tight">Files</h1>
        <QuotaMeter usage={currentUsage} />
      </div>
      <DropZone onFiles={addFiles} />
      <p role="status" className="sr-only">
        {announcement}
      </p>
      <UploadQueue />
      <UnfinishedUploads files={list.data.pages.flatMap((page) => page.items)} />
      <FileList list={list} />
    </div>
  )
}
