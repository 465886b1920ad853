'use client'

import { ArrowUp } from 'lucide-react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { useUploads } from '../context/use-uploads.ts'

/** Progress of all uploads, shown on every page but Files. */
export function HeaderProgress() {
  const { counts, size, bytesSent } = useUploads()
  const path = usePathname()
  const open = counts.queued + counts.starting + counts.uploading + counts.paused + counts.verifying
  if (path === '/' || open === 0) return null
  const percent = size === 0 ? 0 : Math.floor((bytesSent / size) * 100)
  return (
    <Link
      href="/"
      className="flex items-center gap-1.5 rounded-full bg-accent-soft px-3 py-1 text-sm text-accent tabular-nums"
    >
      <ArrowUp aria-hidden="true" className="size-4" />
      {percent}%<span className="sr-only"> of {open} uploads. Show uploads</span>
    </Link>
  )
}
