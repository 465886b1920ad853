import type { UploadSource } from '@pigeonhole/client/browser'
import { type RefObject, useEffect, useRef } from 'react'
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
  const latest = useRef(onFiles)
  useEffect(() => {
    latest.current = onFiles
  })
  // Not onChange, and never removed: the input can be replaced while the picker is open, and React hears nothing from a
  // replaced one.
  useEffect(() => {
    const input = ref.current!
    input.addEventListener('change', () => {
      latest.current(filesOfInput(input.files))
      // Lets the user choose the same file again.
      input.value = ''
    })
  }, [ref])

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
    />
  )
}
