'use client'

import type { UploadSource } from '@pigeonhole/client/browser'
import clsx from 'clsx'
import { FolderUp, Upload } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { ACCEPT, filesOfDrop, filesOfInput, hasFiles, pickFiles } from './take-files.ts'

/** Takes files dropped anywhere on the page, chosen ones, and whole folders. */
export function DropZone({ onFiles }: { onFiles(sources: UploadSource[]): void }) {
  const filesInput = useRef<HTMLInputElement>(null)
  const folderInput = useRef<HTMLInputElement>(null)
  const over = usePageDrop(onFiles)

  async function choose() {
    const picked = await pickFiles()
    if (picked) onFiles(picked)
    else filesInput.current?.click()
  }

  return (
    <section
      aria-label="Add files"
      className={clsx(
        'flex flex-col items-center gap-4 rounded-xl border-2 border-dashed px-4 py-8 text-center transition-colors',
        over ? 'border-accent bg-accent-soft' : 'border-line bg-surface',
      )}
    >
      <div>
        <p className="font-medium">
          {over ? (
            'Drop to upload'
          ) : (
            <span className="hidden sm:inline">Drop files or folders anywhere on this page</span>
          )}
          {!over && <span className="sm:hidden">Add files</span>}
        </p>
        <p className="mt-1 text-sm text-ink-soft">
          JPEG, PNG, GIF and WebP images, PDF documents, MP4 and QuickTime videos, up to 5 GB each
        </p>
      </div>
      <div className="flex flex-wrap justify-center gap-2">
        <Button look="primary" onClick={choose}>
          <Upload aria-hidden="true" className="size-4" />
          Choose files
        </Button>
        <Button className="max-sm:hidden" onClick={() => folderInput.current?.click()}>
          <FolderUp aria-hidden="true" className="size-4" />
          Choose a folder
        </Button>
      </div>
      <FilesInput ref={filesInput} label="Files to upload" accept={ACCEPT} onFiles={onFiles} />
      <FilesInput ref={folderInput} label="Folder to upload" folder onFiles={onFiles} />
    </section>
  )
}

type FilesInputProps = {
  ref: React.RefObject<HTMLInputElement | null>
  label: string
  folder?: boolean
  accept?: string
  onFiles(sources: UploadSource[]): void
}

/** Out of sight: the buttons open it. */
function FilesInput({ ref, label, folder, accept, onFiles }: FilesInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      multiple
      hidden
      aria-label={label}
      accept={accept}
      {...(folder && { webkitdirectory: '' })}
      onChange={(event) => {
        onFiles(filesOfInput(event.target.files))
        // The same file can be chosen again.
        event.target.value = ''
      }}
    />
  )
}

/** Whether files are being dragged over the page; a drop anywhere counts. */
function usePageDrop(onFiles: (sources: UploadSource[]) => void): boolean {
  const [over, setOver] = useState(false)
  const latest = useRef(onFiles)
  latest.current = onFiles
  useEffect(() => {
    const end = new AbortController()
    const { signal } = end
    // Entering a child is told before leaving its parent.
    let depth = 0
    const move = (by: number) => (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return
      depth = Math.max(0, depth + by)
      setOver(depth > 0)
    }
    addEventListener('dragenter', move(1), { signal })
    addEventListener('dragleave', move(-1), { signal })
    addEventListener(
      'dragover',
      (event) => {
        if (hasFiles(event.dataTransfer)) event.preventDefault()
      },
      { signal },
    )
    addEventListener(
      'drop',
      (event) => {
        if (!event.dataTransfer || !hasFiles(event.dataTransfer)) return
        event.preventDefault()
        depth = 0
        setOver(false)
        void filesOfDrop(event.dataTransfer).then((sources) => latest.current(sources))
      },
      { signal },
    )
    return () => end.abort()
  }, [])
  return over
}
