'use client'

import { claimedFingerprints, type ResumeEntry } from '@pigeonhole/client/browser'
import { useCallback, useEffect, useState } from 'react'
import { useEngine, useUploads } from '../shell/context.tsx'
import type { FileItem } from './queries.ts'

export type Leftover = {
  fileId: string
  name: string
  mimeType: string
  size: number
  /** As this browser remembers it; without: begun elsewhere. */
  entry?: ResumeEntry
}

type Known = { entries: ResumeEntry[]; busy: Set<string> }

/** Unfinished uploads that nobody works on in this browser; `items` is the server's list. */
export function useLeftovers(items: FileItem[]): { leftovers: Leftover[]; look(): void } {
  const { uploader } = useEngine()
  const { uploads, counts } = useUploads()
  const [known, setKnown] = useState<Known>()
  const look = useCallback(() => {
    void Promise.all([uploader.unfinished(), claimedFingerprints()]).then(
      ([entries, busy]) => setKnown({ entries, busy }),
      // A browser that cannot remember has nothing to go on with.
      () => setKnown({ entries: [], busy: new Set() }),
    )
  }, [uploader])

  const ended = counts.done + counts.failed + counts.cancelled
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again when an upload begins or ends, or the server's list is another
  useEffect(look, [look, items, uploads.length, ended])

  if (!known) return { leftovers: [], look }
  const here = new Set(uploads.map((upload) => upload.getSnapshot().fileId))
  const remembered = new Set(known.entries.map(({ fileId }) => fileId))
  const mine = known.entries
    .filter(({ fingerprint, fileId }) => !known.busy.has(fingerprint) && !here.has(fileId))
    .map((entry) => ({ ...entry, entry }))
  const elsewhere = items
    .filter(({ id, state }) => state === 'UPLOADING' && !here.has(id) && !remembered.has(id))
    .map(({ id, filename, mimeType, size }) => ({ fileId: id, name: filename, mimeType, size }))
  return { leftovers: [...mine, ...elsewhere], look }
}
