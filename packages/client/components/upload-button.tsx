'use client'

import { type Uploader, type UploadOptions, useUploads } from '@pigeonhole/client/react'
import type { ReactNode } from 'react'

type Props = {
  uploader: Uploader
  /** Policy and data of the uploads. */
  options?: UploadOptions
  /** Types and extensions that the file picker offers, such as `image/*,.pdf`. */
  accept?: string
  /** Default: several files at once. */
  multiple?: boolean
  children?: ReactNode
}

/** Opens the file picker and uploads the chosen files. */
export function UploadButton({ uploader, options, accept, multiple = true, children = 'Upload' }: Props) {
  const { uploadFiles } = useUploads(uploader)
  return (
    <label className="inline-flex h-11 cursor-pointer items-center justify-center rounded-md bg-primary px-4 text-sm font-medium text-primary-foreground hover:bg-primary/90 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring">
      {children}
      <input
        type="file"
        className="sr-only"
        accept={accept}
        multiple={multiple}
        onChange={({ target }) => {
          uploadFiles(target.files ?? [], options)
          // The same file can be chosen again.
          target.value = ''
        }}
      />
    </label>
  )
}
