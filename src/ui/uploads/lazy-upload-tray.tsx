'use client'

import { lazy, Suspense } from 'react'
import { useUploads } from '../context/use-uploads.ts'

const UploadTray = lazy(async () => ({ default: (await import('./upload-tray.tsx')).UploadTray }))

/** The tray is loaded with the first upload: most visits have none. */
export function LazyUploadTray() {
  const { uploads } = useUploads()
  return uploads.length > 0 ? (
    <Suspense>
      <UploadTray />
    </Suspense>
  ) : null
}
