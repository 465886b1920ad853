import { blobSource, type UploadSource } from '@pigeonhole/client/browser'
import { useEffect } from 'react'

/**
 * Passes files that are pasted anywhere on the page to `onFiles`. Browsers name every pasted picture `image.png`, so
 * `nameOf` returns a more useful name.
 */
export function usePastedFiles(onFiles: (sources: UploadSource[]) => void, nameOf: (file: File) => string) {
  useEffect(() => {
    const paste = ({ clipboardData }: ClipboardEvent) => {
      const files = [...(clipboardData?.files ?? [])]
      if (files.length === 0) return
      onFiles(
        files.map((file) =>
          blobSource(
            /^image\.\w+$/.test(file.name) ? new File([file], nameOf(file), { type: file.type }) : file,
          ),
        ),
      )
    }
    addEventListener('paste', paste)
    return () => removeEventListener('paste', paste)
  }, [onFiles, nameOf])
}
