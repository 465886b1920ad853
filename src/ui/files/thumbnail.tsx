'use client'

import { useState } from 'react'
import { FileTypeIcon } from './file-type-icon.tsx'
import type { FileItem } from './use-file-queries.ts'

/** The small picture that was made when the file was uploaded; without one the icon of the type. Never the file itself. */
export function Thumbnail({ file: { id, mimeType, thumbnailUrl } }: { file: FileItem }) {
  const [broken, setBroken] = useState(false)
  if (broken || thumbnailUrl === null) return <FileTypeIcon mimeType={mimeType} />
  return (
    // biome-ignore lint/performance/noImgElement: it is small already, and the browser keeps it
    <img
      // Not `thumbnailUrl`: this page may have been opened under another name of the server than NEXTAUTH_URL.
      src={`/files/${id}/thumbnail`}
      alt=""
      width={40}
      height={40}
      loading="lazy"
      decoding="async"
      onError={() => setBroken(true)}
      className="size-10 shrink-0 rounded-lg bg-sunken object-cover"
    />
  )
}
