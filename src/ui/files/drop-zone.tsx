'use client'

import type { UploadSource } from '@pigeonhole/client/browser'
import clsx from 'clsx'
import { FolderUp, Upload } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../components/button.tsx'
import { FileInput } from './file-input.tsx'
import { ACCEPT, pickFiles } from './file-picker.ts'
import { usePageDrop } from './use-page-drop.ts'

/** Accepts files dropped anywhere on the page, chosen files, and whole folders. */
export function DropZone({ onFiles }: { onFiles(sources: UploadSource[]): void }) {
  const filesInput = useRef<HTMLInputElement>(null)
  const folderInput = useRef<HTMLInputElement>(null)
  const dragging = usePageDrop(onFiles)

  async function chooseFiles() {
    const picked = await pickFiles()
    if (picked) onFiles(picked)
    else filesInput.current?.click()
  }

  return (
    <section
      aria-label="Add files"
      className={clsx(
        'flex flex-col items-center gap-4 rounded-xl border-2 border-dashed px-4 py-8 text-center transition-colors',
        dragging ? 'border-accent bg-accent-soft' : 'border-line bg-surface',
      )}
    >
      <div>
        <p className="font-medium">
          {dragging ? (
            'Drop to upload'
          ) : (
            <>
              <span className="max-sm:hidden">Drop files or folders anywhere on this page</span>
              <span className="sm:hidden">Add files</span>
            </>
          )}
        </p>
        <p className="mt-1 text-sm text-ink-soft">
          JPEG, PNG, GIF and WebP images, PDF documents, MP4 and QuickTime videos, up to 5 GB each
        </p>
      </div>
      <div className="flex flex-wrap justify-center gap-2">
        <Button variant="primary" onClick={chooseFiles}>
          <Upload aria-hidden="true" className="size-4" />
          Choose files
        </Button>
        <Button className="max-sm:hidden" onClick={() => folderInput.current?.click()}>
          <FolderUp aria-hidden="true" className="size-4" />
          Choose a folder
        </Button>
      </div>
      <FileInput ref={filesInput} label="Files to upload" accept={ACCEPT} multiple onFiles={onFiles} />
      <FileInput ref={folderInput} label="Folder to upload" multiple folder onFiles={onFiles} />
    </section>
  )
}
