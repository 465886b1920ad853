import { Download, Share2 } from 'lucide-react'
import { type MouseEvent, memo, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { CopyLinkButton } from '../copy-link-button.tsx'
import { useFileDialogs } from '../dialogs/file-dialogs.tsx'
import { FileTypeIcon } from '../file-type-icon.tsx'
import { fileTypeKey } from '../file-type-key.ts'
import { type FileItem, isHeld } from '../use-file-queries.ts'
import { FileMenu } from './file-menu.tsx'
import { SelectBox } from './select-box.tsx'

/** The thumbnail that was created during the upload, or the type's icon. Never the file itself. */
function Thumbnail({ file: { id, mimeType, thumbnailUrl } }: { file: FileItem }) {
  const [broken, setBroken] = useState(false)
  if (broken || thumbnailUrl === null) return <FileTypeIcon mimeType={mimeType} />
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
      className="size-10 shrink-0 rounded-lg bg-sunken object-cover"
    />
  )
}

type FileRowProps = {
  file: FileItem
  selected: boolean
  onSelect(id: string, extend: boolean): void
}

/** A row of the list: a checkbox, the file and its actions. The arrow keys use `data-control`. */
export const FileRow = memo(function FileRow({ file, selected, onSelect }: FileRowProps) {
  const { id, filename, mimeType, size, createdAt } = file
  const { t, format } = useMessages()
  const open = useFileDialogs()
  const typeKey = fileTypeKey(mimeType)
  const held = isHeld(file)
  // Not `url`, which can be the CDN's: the app's own URL checks the session and supports `?download`.
  const href = `/files/${id}`

  function preview(event: MouseEvent) {
    // These keys open a tab or a window.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    open('preview', file)
  }

  return (
    <div
      data-file={id}
      data-selected={selected || undefined}
      className="flex items-center gap-2 border-b border-line py-2.5 pr-1 pl-1 data-selected:bg-accent-soft sm:gap-3 sm:pr-2 sm:pl-2 forced-colors:data-selected:outline-2 forced-colors:data-selected:-outline-offset-2"
    >
      <SelectBox
        label={t('files.select', { name: filename })}
        checked={selected}
        onChange={(shiftKey) => onSelect(id, shiftKey)}
      />
      <Thumbnail file={file} />
      <div className="min-w-0 flex-1">
        {held ? (
          // The arrow keys can focus it, as they do the link of other rows.
          <span
            title={filename}
            dir="auto"
            data-control="open"
            tabIndex={-1}
            className="block truncate text-left rounded-sm font-medium"
          >
            {filename}
          </span>
        ) : (
          <a
            href={href}
            target="_blank"
            rel="noreferrer"
            title={filename}
            dir="auto"
            data-control="open"
            onClick={preview}
            className="block truncate text-left rounded-sm font-medium hover:text-accent hover:underline"
          >
            {filename}
          </a>
        )}
        <p className="truncate text-sm text-ink-soft tabular-nums">
          {held && (
            <>
              <Badge>{t('files.held')}</Badge>{' '}
            </>
          )}
          <span className="hidden sm:inline">{typeKey ? t(typeKey) : mimeType} · </span>
          {format.bytes(size)}
          <span className="sm:hidden">
            {' · '}
            <LocalTime at={createdAt} dayOnly />
          </span>
        </p>
      </div>
      <p className="hidden w-36 shrink-0 text-right text-sm text-ink-soft tabular-nums sm:block">
        <LocalTime at={createdAt} />
      </p>
      <div className="flex shrink-0">
        {held ? (
          // As wide as the buttons of other rows.
          <span className="hidden w-30 pointer-coarse:w-33 sm:block" />
        ) : (
          <>
            <a
              href={`${href}?download`}
              download
              aria-label={t('files.downloadFile', { name: filename })}
              title={t('files.download')}
              className="hidden size-10 items-center justify-center rounded-lg text-ink-soft transition-colors hover:bg-sunken hover:text-ink pointer-coarse:size-11 sm:inline-flex"
            >
              <Download aria-hidden="true" className="size-4" />
            </a>
            <IconButton
              label={t('shares.share', { name: filename })}
              className="max-sm:hidden"
              onClick={() => open('share', file)}
            >
              <Share2 aria-hidden="true" className="size-4" />
            </IconButton>
            <CopyLinkButton file={file} className="max-sm:hidden" />
          </>
        )}
        <FileMenu file={file} />
      </div>
    </div>
  )
})
