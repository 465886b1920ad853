'use client'

import { blobSource, type UploadSource } from '@pigeonhole/client/browser'
import { useEffect } from 'react'

/**
 * Takes files that are pasted anywhere on the page. Browsers call every pasted picture `image.png`; `nameOf` gives it
 * a name by which it can be found again.
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
