'use client'

import { useState } from 'react'
import { FileTypeIcon } from './file-type-icon.tsx'
import type { FileItem } from './use-file-queries.ts'

/** Thumbnails are the full image scaled down: not worth the download above this size. */
const MAX_BYTES = 10 * 1024 * 1024

/** The image itself, scaled down. For other types, and images the browser cannot show, the icon of the type. */
export function Thumbnail({ file: { id, mimeType, size } }: { file: FileItem }) {
  const [broken, setBroken] = useState(false)
  if (broken || !mimeType.startsWith('image/') || size > MAX_BYTES)
    return <FileTypeIcon mimeType={mimeType} />
  return (
    // biome-ignore lint/performance/noImgElement: the bytes are the store's; Next's optimizer would fetch them through the app
    <img
      src={`/files/${id}`}
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
