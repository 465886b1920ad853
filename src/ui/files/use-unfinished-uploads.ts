import type { UnfinishedUpload as StoredUpload } from '@pigeonhole/client/browser'
import { useCallback, useEffect, useState } from 'react'
import { useClients } from '../context/use-clients.ts'
import { useUploads } from '../context/use-uploads.ts'
import type { FileItem } from './use-file-queries.ts'

export type UnfinishedUpload = {
  fileId: string
  name: string
  mimeType: string
  size: number
  /** This browser's stored entry; undefined if the upload was started elsewhere. */
  entry?: StoredUpload
}

/** Returns true if the browser remembers the upload's file, and can ask for permission to open it again. */
export function canReopen({ entry }: UnfinishedUpload): boolean {
  const handle = entry?.attachment as { getFile?: unknown } | undefined
  return typeof handle?.getFile === 'function'
}

/** Stored uploads of this browser. `claimed` has the fingerprints of files that any of its tabs is uploading. */
type Stored = { entries: StoredUpload[]; claimed: ReadonlySet<string> | undefined }

/** Returns the unfinished uploads that no tab of this browser is processing. `files` is the server's list. */
export function useUnfinishedUploads(files: FileItem[]): {
  unfinishedUploads: UnfinishedUpload[]
  reload(): void
} {
  const { store } = useClients()
  const { uploads, counts } = useUploads()
  const [stored, setStored] = useState<Stored>()
  const reload = useCallback(() => {
    void Promise.all([store.list(), store.claimed?.()]).then(
      ([entries, claimed]) => setStored({ entries, claimed }),
      // A browser without storage has no entries.
      () => setStored({ entries: [], claimed: undefined }),
    )
  }, [store])

  const ended = counts.done + counts.failed + counts.cancelled
  // biome-ignore lint/correctness/useExhaustiveDependencies: reloads when an upload starts or ends, and when the server's list changes
  useEffect(reload, [reload, files, uploads.length, ended])

  // Another window can resume or discard them. It does not tell this one.
  useEffect(() => {
    addEventListener('focus', reload)
    return () => removeEventListener('focus', reload)
  }, [reload])

  if (!stored) return { unfinishedUploads: [], reload }
  const inQueue = new Set(uploads.map((upload) => upload.getSnapshot().fileId))
  const remembered = new Set(stored.entries.map(({ fileId }) => fileId))
  const startedHere = stored.entries
    .filter(({ fingerprint, fileId }) => !stored.claimed?.has(fingerprint) && !inQueue.has(fileId))
    .map((entry) => ({ ...entry, entry }))
  const startedElsewhere = files
    .filter(({ id, state }) => state === 'UPLOADING' && !inQueue.has(id) && !remembered.has(id))
    .map(({ id, filename, mimeType, size }) => ({ fileId: id, name: filename, mimeType, size }))
  return { unfinishedUploads: [...startedHere, ...startedElsewhere], reload }
}
