import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { buttonClass } from '../../components/button-class.ts'
import { useClients } from '../../context/use-clients.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { FileTypeIcon } from '../file-type-icon.tsx'
import { kindOf } from '../list/file-view.ts'
import type { FileItem } from '../use-file-queries.ts'

/**
 * Shows a file as the type that the server confirmed: an image, a video or a PDF, never markup. For files that this
 * browser cannot show, offers a link.
 */
export function PreviewContent({ file }: { file: FileItem }) {
  const { id, filename, mimeType } = file
  const [failed, setFailed] = useState(false)
  const kind = kindOf(mimeType)
  if (failed || !kind) return <NoPreview file={file} />
  if (kind === 'document') return <PdfPreview file={file} />
  if (kind === 'image')
    return (
      // biome-ignore lint/performance/noImgElement: Next's optimizer would make the app fetch the bytes from the store
      <img
        src={`/files/${id}`}
        alt={filename}
        onError={() => setFailed(true)}
        className="max-h-full max-w-full object-contain"
      />
    )
  return (
    // biome-ignore lint/a11y/useMediaCaption: users' files have no captions
    <video
      src={`/files/${id}`}
      aria-label={filename}
      controls
      playsInline
      onError={() => setFailed(true)}
      className="max-h-full max-w-full"
    />
  )
}

/** Shows a PDF in a frame of the store's origin, which cannot access the app. Phones have no PDF viewer in frames. */
function PdfPreview({ file }: { file: FileItem }) {
  const { client } = useClients()
  const hasViewer = navigator.pdfViewerEnabled && !matchMedia('(pointer: coarse)').matches
  const { data, isError } = useQuery({
    queryKey: ['files', 'preview', file.id],
    queryFn: ({ signal }) => client.files.downloadUrl.query({ fileId: file.id }, { signal }),
    enabled: hasViewer,
    // The URL is valid for five minutes.
    staleTime: 240_000,
    gcTime: 240_000,
  })
  if (!hasViewer || isError) return <NoPreview file={file} />
  return data && <iframe src={data.url} title={file.filename} className="size-full border-0" />
}

function NoPreview({ file: { id, filename, mimeType } }: { file: FileItem }) {
  const { t } = useMessages()
  return (
    <div className="flex flex-col items-center gap-4 px-12 text-center">
      <FileTypeIcon mimeType={mimeType} />
      <p className="text-sm text-ink-soft">{t('files.noPreview')}</p>
      <a
        href={`/files/${id}`}
        target="_blank"
        rel="noreferrer"
        aria-label={t('files.openInTab', { name: filename })}
        className={buttonClass('primary')}
      >
        {t('files.newTab')}
      </a>
    </div>
  )
}
