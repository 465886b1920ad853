import type { UnfinishedUpload, Uploader } from '@pigeonhole/client/browser'
import { useUploads } from '@pigeonhole/client/react'
import { useEffect, useState } from 'react'

/** Uploads that a reload interrupted. Pages cannot reopen files, so users choose the same file again to continue. */
export function Unfinished({ uploader }: { uploader: Uploader }) {
  const { counts } = useUploads(uploader)
  const [entries, setEntries] = useState<UnfinishedUpload[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: resumed uploads are no longer listed
  useEffect(() => void uploader.unfinished().then(setEntries), [uploader, counts.uploading, counts.done])

  async function discard(entry: UnfinishedUpload) {
    await uploader.discard(entry)
    setEntries(await uploader.unfinished())
  }
  return (
    <ul aria-label="Unfinished">
      {entries.map((entry) => (
        <li key={entry.fileId}>
          {entry.name}: choose it again to continue
          <button type="button" onClick={() => discard(entry)}>
            Discard {entry.name}
          </button>
        </li>
      ))}
    </ul>
  )
}
