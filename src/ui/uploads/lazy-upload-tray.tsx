import { lazy, Suspense } from 'react'
import { loadScript } from '../context/load-script.ts'
import { useUploads } from '../context/use-uploads.ts'

const load = () => import('./upload-tray.tsx')
// A failure would replace the whole page, and with it the uploads, with an error.
const UploadTray = lazy(async () => ({ default: (await loadScript(load)).UploadTray }))

/** Loads the tray. Call it when the user starts to choose files, so that the first upload does not have to wait. */
export function preloadUploadTray() {
  // If the network is unavailable, the upload reports it.
  load().catch(() => {})
}

/** The upload tray, loaded with the first upload because most visits have none. */
export function LazyUploadTray() {
  const { uploads } = useUploads()
  return uploads.length > 0 ? (
    <Suspense>
      <UploadTray />
    </Suspense>
  ) : null
}
