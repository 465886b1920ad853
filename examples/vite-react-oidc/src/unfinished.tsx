import type { UnfinishedUpload, Uploader } from '@pigeonhole/client/browser'
import { useUploads } from '@pigeonhole/client/react'
import { useEffect, useState } from 'react'

/** What a reload has interrupted. A page cannot open files by itself: whoever chooses the same one again continues it. */
export function Unfinished({ uploader }: { uploader: Uploader }) {
  const { counts } = useUploads(uploader)
  const [entries, setEntries] = useState<UnfinishedUpload[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is sent again is listed no longer
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
