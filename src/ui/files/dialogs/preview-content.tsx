import { useQuery } from '@tanstack/react-query'
import { Download, ExternalLink } from 'lucide-react'
import { lazy, Suspense, useState, useSyncExternalStore } from 'react'
import { buttonClass } from '../../components/button-class.ts'
import { Loading } from '../../components/loading.tsx'
import { useClients } from '../../context/use-clients.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { FileTypeIcon } from '../file-type-icon.tsx'
import { fileTypeKey } from '../file-type-key.ts'
import { kindOf } from '../list/file-view.ts'
import type { FileItem } from '../use-file-queries.ts'
import { ImagePreview } from './image-preview.tsx'

/** A separate script with the library that draws PDFs. */
const PdfPages = lazy(async () => ({ default: (await import('../pdf/pdf-pages.tsx')).PdfPages }))

/**
 * Shows a file as the type that the server confirmed: an image, a video or a PDF, never markup. For files that this
 * browser cannot show, offers links.
 */
export function PreviewContent({ file }: { file: FileItem }) {
  const { id, filename, mimeType } = file
  const [failed, setFailed] = useState(false)
  const kind = kindOf(mimeType)
  if (failed || !kind) return <NoPreview file={file} />
  if (kind === 'document') return <PdfPreview file={file} />
  if (kind === 'image') return <ImagePreview file={file} onError={() => setFailed(true)} />
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

/**
 * Screens on which a PDF in a frame is useless. Phones have no viewer for frames, so it stays blank. In narrow windows,
 * the viewer shows little more than its toolbar.
 */
const NO_FRAME = '(pointer: coarse), (width < 40rem)'

function subscribeToScreen(listener: () => void): () => void {
  const query = matchMedia(NO_FRAME)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Larger files are not downloaded for a preview without the browser's viewer. */
const MAX_PAGES_BYTES = 30 * 1024 * 1024

/**
 * Shows a PDF in a frame of the store's origin, which cannot access the app. Without the browser's viewer, draws the pages.
 */
function PdfPreview({ file }: { file: FileItem }) {
  const [failed, setFailed] = useState(false)
  const { client } = useClients()
  const isTooSmall = useSyncExternalStore(subscribeToScreen, () => matchMedia(NO_FRAME).matches)
  const hasViewer = navigator.pdfViewerEnabled && !isTooSmall
  const { data, isError } = useQuery({
    queryKey: ['files', 'preview', file.id],
    queryFn: ({ signal }) => client.files.downloadUrl.query({ fileId: file.id }, { signal }),
    enabled: hasViewer,
    // The URL is valid for five minutes.
    staleTime: 240_000,
    gcTime: 240_000,
  })
  if (isError || failed || (!hasViewer && file.size > MAX_PAGES_BYTES)) return <NoPreview file={file} />
  if (!hasViewer)
    return (
      <Suspense fallback={<Loading />}>
        <PdfPages file={file} onError={() => setFailed(true)} />
      </Suspense>
    )
  // Fits the page's width: Chromium reads `view`, and Firefox reads `zoom`.
  const src = data && `${data.url}#view=FitH&zoom=page-width`
  return src && <iframe src={src} title={file.filename} className="size-full border-0" />
}

/** Says what the file is, with the ways to open it. */
function NoPreview({ file: { id, filename, mimeType, size } }: { file: FileItem }) {
  const { t, format } = useMessages()
  const type = fileTypeKey(mimeType)
  return (
    <div className="flex max-h-full w-full max-w-sm min-w-0 flex-col items-center gap-4 overflow-y-auto rounded-xl border border-line bg-surface p-6 text-center shadow-card max-sm:px-3">
      <FileTypeIcon mimeType={mimeType} />
      <div className="w-full">
        <p dir="auto" className="line-clamp-4 font-medium wrap-anywhere max-sm:hidden">
          {filename}
        </p>
        <p className="mt-1 text-sm text-ink-soft tabular-nums">
          {type ? t(type) : mimeType} · {format.bytes(size)}
        </p>
      </div>
      <p className="text-sm text-ink-soft">{t('files.noPreview')}</p>
      <div className="flex w-full flex-wrap gap-2">
        <a
          href={`/files/${id}`}
          target="_blank"
          rel="noreferrer"
          aria-label={t('files.openInTab', { name: filename })}
          className={buttonClass('primary', 'grow basis-32 max-sm:px-2')}
        >
          <ExternalLink aria-hidden="true" className="size-4" />
          {t('files.open')}
        </a>
        <a
          href={`/files/${id}?download`}
          download
          aria-label={t('files.downloadFile', { name: filename })}
          className={buttonClass('secondary', 'grow basis-32 max-sm:px-2')}
        >
          <Download aria-hidden="true" className="size-4" />
          {t('files.download')}
        </a>
      </div>
    </div>
  )
}
