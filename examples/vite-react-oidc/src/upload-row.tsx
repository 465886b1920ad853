import type { Client } from '@pigeonhole/client'
import type { UploadHandle } from '@pigeonhole/client/browser'
import { useUpload } from '@pigeonhole/client/react'
import { PrivateImage } from './private-image.tsx'

export function UploadRow({ upload, client }: { upload: UploadHandle; client: Client }) {
  const { name, state, bytesSent, size, resumedBytes, mimeType, error, file, cancel, retry } =
    useUpload(upload)
  const isOver = state === 'done' || state === 'failed' || state === 'cancelled'
  return (
    <li>
      {name}: {error?.message ?? state}
      {resumedBytes > 0 && ', continued'} <progress aria-label={name} value={bytesSent} max={size} />
      {!isOver && (
        <button type="button" onClick={cancel}>
          Cancel {name}
        </button>
      )}
      {error?.retryable && (
        <button type="button" onClick={retry}>
          Try {name} again
        </button>
      )}
      {file && mimeType.startsWith('image/') && <PrivateImage client={client} fileId={file.id} alt={name} />}
    </li>
  )
}
