import type { Uploader } from '@pigeonhole/client/browser'
import { useUnfinishedUploads } from '@pigeonhole/client/react'

/** Uploads that a reload interrupted. Pages cannot reopen files, so users choose the same file again to continue. */
export function Unfinished({ uploader }: { uploader: Uploader }) {
  const { items, discard } = useUnfinishedUploads(uploader)
  return (
    <ul aria-label="Unfinished">
      {items.map((entry) => (
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
