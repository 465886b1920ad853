'use client'

import type { UploadSource } from '@pigeonhole/client/browser'
import { useState } from 'react'
import { useEngine } from '../shell/context.tsx'
import { DropZone } from './drop-zone.tsx'
import { FileList } from './file-list.tsx'
import { type FilesPageData, type Usage, useFiles, useFollowUploads, useUsage } from './queries.ts'
import { Queue } from './queue.tsx'
import { QuotaMeter } from './quota-meter.tsx'
import { Unfinished } from './unfinished.tsx'

/** The page of files: put some in, watch them go up, find them again. */
export function FilesPage({ files, usage }: { files: FilesPageData; usage: Usage }) {
  const { uploader } = useEngine()
  const list = useFiles(files)
  const { data: currentUsage } = useUsage(usage)
  const [added, setAdded] = useState('')
  useFollowUploads()

  function add(sources: UploadSource[]) {
    for (const source of sources) uploader.upload(source)
    if (sources.length > 0)
      setAdded(`${sources.length === 1 ? sources[0]!.name : `${sources.length} files`} added`)
  }

  const items = list.data.pages.flatMap((page) => page.items)
  return (
    <div className="space-y-6">
      <div className="flex flex-wrap items-end justify-between gap-4">
        <h1 className="text-2xl font-semibold tracking-tight">Files</h1>
        <QuotaMeter usage={currentUsage} />
      </div>
      <DropZone onFiles={add} />
      <p role="status" className="sr-only">
        {added}
      </p>
      <Queue />
      <Unfinished items={items} />
      <FileList list={list} />
    </div>
  )
}
