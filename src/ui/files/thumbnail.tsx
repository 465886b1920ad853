'use client'

import { useState } from 'react'
import type { FileItem } from './queries.ts'
import { TypeIcon } from './type-icon.tsx'

/** Larger images would cost more to fetch than a small picture is worth. */
const MAX_BYTES = 10 * 1024 * 1024

/** The image itself, small; for the rest, and for what no browser can show, a symbol of the type. */
export function Thumbnail({ file: { id, mimeType, size } }: { file: FileItem }) {
  const [broken, setBroken] = useState(false)
  if (broken || !mimeType.startsWith('image/') || size > MAX_BYTES) return <TypeIcon mimeType={mimeType} />
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
