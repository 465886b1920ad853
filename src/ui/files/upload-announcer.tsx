'use client'

import type { UploaderSnapshot } from '@pigeonhole/client/browser'
import { useEffect, useRef, useState } from 'react'

/** Many small files finish every second: announce at most this often. */
const INTERVAL_MS = 4000

/** Tells screen readers how many uploads have ended. Percentages are not announced. */
export function UploadAnnouncer({ snapshot }: { snapshot: UploaderSnapshot }) {
  const { counts, uploads } = snapshot
  const latest = summary(snapshot)
  const [announced, setAnnounced] = useState('')
  const announcedAt = useRef(Number.NEGATIVE_INFINITY)
  const allEnded = uploads.length > 0 && counts.done + counts.failed === uploads.length
  useEffect(() => {
    const waitMs = allEnded ? 0 : Math.max(0, announcedAt.current + INTERVAL_MS - performance.now())
    const timer = setTimeout(() => {
      announcedAt.current = performance.now()
      setAnnounced(latest)
    }, waitMs)
    return () => clearTimeout(timer)
  }, [latest, allEnded])
  return (
    <p role="status" className="sr-only">
      {announced}
    </p>
  )
}

function summary({ counts, uploads }: UploaderSnapshot): string {
  if (uploads.length === 0 || counts.done + counts.failed === 0) return ''
  const failed = counts.failed > 0 ? `, ${counts.failed} failed` : ''
  return `${counts.done} of ${uploads.length} files uploaded${failed}`
}
