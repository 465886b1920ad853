'use client'

import type { UploaderSnapshot } from '@pigeonhole/client/browser'
import { useEffect, useRef, useState } from 'react'

/** A queue of small files must not talk without pause. */
const QUIET_MS = 4000

/** Tells screen readers what ended, in one sentence now and then; percentages are not read out. */
export function QueueAnnouncer({ all }: { all: UploaderSnapshot }) {
  const { counts, uploads } = all
  const words = wordsFor(all)
  const [said, setSaid] = useState('')
  const lastAt = useRef(Number.NEGATIVE_INFINITY)
  const ended = uploads.length > 0 && counts.done + counts.failed === uploads.length
  useEffect(() => {
    const wait = ended ? 0 : Math.max(0, lastAt.current + QUIET_MS - performance.now())
    const timer = setTimeout(() => {
      lastAt.current = performance.now()
      setSaid(words)
    }, wait)
    return () => clearTimeout(timer)
  }, [words, ended])
  return (
    <p role="status" className="sr-only">
      {said}
    </p>
  )
}

function wordsFor({ counts, uploads }: UploaderSnapshot): string {
  if (uploads.length === 0 || counts.done + counts.failed === 0) return ''
  const failed = counts.failed > 0 ? `, ${counts.failed} not` : ''
  return `${counts.done} of ${uploads.length} files uploaded${failed}`
}
