'use client'

import { lazy, Suspense } from 'react'
import { useUploads } from '../context/use-uploads.ts'

const load = () => import('./upload-tray.tsx')
const UploadTray = lazy(async () => ({ default: (await load()).UploadTray }))

/** Call it when somebody is about to choose files, so that the first upload does not wait for the tray. */
export function preloadUploadTray() {
  // Without network the upload itself says so.
  load().catch(() => {})
}

/** The tray is loaded for the first upload: most visits have none. */
export function LazyUploadTray() {
  const { uploads } = useUploads()
  return uploads.length > 0 ? (
    <Suspense>
      <UploadTray />
    </Suspense>
  ) : null
}
