'use client'

import { type Uploader, type UploadOptions, useUploads } from '@pigeonhole/client/react'
import { useState } from 'react'

type Props = {
  uploader: Uploader
  /** Policy and data of the uploads. */
  options?: UploadOptions
  /** Types and extensions that the file picker offers, such as `image/*,.pdf`. */
  accept?: string
  /** Allowed types and sizes, such as `Images and PDF files up to 5 GB`. */
  hint?: string
}

/** Uploads files that are dropped on it, or chosen in the file picker that a click or the space bar opens. */
export function Dropzone({ uploader, options, accept, hint }: Props) {
  const { uploadFiles } = useUploads(uploader)
  const [isOver, setIsOver] = useState(false)
  return (
    <label
      className="flex min-h-32 cursor-pointer flex-col items-center justify-center gap-1 rounded-lg border-2 border-dashed border-muted-foreground/60 p-6 text-center text-sm text-foreground hover:border-primary has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring data-over:border-primary data-over:bg-accent data-over:text-accent-foreground"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setIsOver(false)
      }}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        uploadFiles(filesOf(event.dataTransfer), options)
      }}
    >
      <span className="font-medium">Drop files here, or choose them</span>
      {hint !== undefined && <span className="text-muted-foreground">{hint}</span>}
      <input
        type="file"
        className="sr-only"
        accept={accept}
        multiple
        onChange={({ target }) => {
          uploadFiles(target.files ?? [], options)
          // The same file can be chosen again.
          target.value = ''
        }}
      />
    </label>
  )
}

/** Returns the dropped files without folders, which browsers list among the files. */
function filesOf({ items }: DataTransfer): File[] {
  return Array.from(items).flatMap((item) => {
    const file = item.webkitGetAsEntry()?.isDirectory ? null : item.getAsFile()
    return file ? [file] : []
  })
}
