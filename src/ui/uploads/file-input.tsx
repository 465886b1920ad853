import type { UploadSource } from '@pigeonhole/client/browser'
import type { RefObject } from 'react'
import { filesOfInput } from './file-picker.ts'

type FileInputProps = {
  ref: RefObject<HTMLInputElement | null>
  label: string
  accept?: string
  multiple?: boolean
  /** Lets the user choose a whole folder. */
  folder?: boolean
  /** Opens the camera on devices that have one. */
  camera?: boolean
  onFiles(sources: UploadSource[]): void
}

/** A hidden file input, opened with `ref.current.click()`. */
export function FileInput({ ref, label, accept, multiple, folder, camera, onFiles }: FileInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      hidden
      aria-label={label}
      accept={accept}
      multiple={multiple}
      {...(folder && { webkitdirectory: '' })}
      capture={camera ? 'environment' : undefined}
      onChange={(event) => {
        onFiles(filesOfInput(event.target.files))
        // Lets the user choose the same file again.
        event.target.value = ''
      }}
    />
  )
}
