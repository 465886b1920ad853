import clsx from 'clsx'
import { useRef, useState } from 'react'
import { FileTypeIcon } from '../file-type-icon.tsx'
import type { FileItem } from '../use-file-queries.ts'
import { kindOf } from './file-view.ts'
import { useMissingThumbnail } from './use-missing-thumbnail.ts'

type FileThumbnailProps = { file: FileItem; className: string }

/** The stored thumbnail or the type's icon, but never the file itself. Creates a missing one when it is first seen. */
export function FileThumbnail({ file, className }: FileThumbnailProps) {
  const { id, mimeType, thumbnailUrl } = file
  const icon = useRef<HTMLSpanElement>(null)
  useMissingThumbnail(file, icon)
  const [broken, setBroken] = useState(false)
  if (broken || thumbnailUrl === null)
    return (
      <span ref={icon}>
        <FileTypeIcon mimeType={mimeType} />
      </span>
    )
  return (
    // biome-ignore lint/performance/noImgElement: it is already small, and the browser caches it
    <img
      // Not `thumbnailUrl`, because the page's host can differ from NEXTAUTH_URL.
      src={`/files/${id}/thumbnail`}
      alt=""
      width={40}
      height={40}
      loading="lazy"
      decoding="async"
      onError={() => setBroken(true)}
      // Of a page, the top says more than the middle. A white one needs an edge.
      className={clsx(
        'shrink-0 rounded-lg bg-sunken object-cover',
        kindOf(mimeType) === 'document' && 'border border-line object-top',
        className,
      )}
    />
  )
}
