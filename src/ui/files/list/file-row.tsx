import clsx from 'clsx'
import { Download, Link2, Share2 } from 'lucide-react'
import { type MouseEvent, memo } from 'react'
import { Badge } from '../../components/badge.tsx'
import { FileName } from '../../components/file-name.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { useFileDialogs } from '../dialogs/use-file-dialogs.ts'
import { fileTypeKey } from '../file-type-key.ts'
import { type FileItem, isHeld } from '../use-file-queries.ts'
import { FileMenu } from './file-menu.tsx'
import { FileThumbnail } from './file-thumbnail.tsx'
import { SelectBox } from './select-box.tsx'
import { TileName } from './tile-name.tsx'

export type FileRowProps = {
  file: FileItem
  selected: boolean
  onSelect(id: string, extend: boolean): void
}

/** Hidden until the pointer or the focus is in the `group`. Touch screens have no pointer, so they always show it. */
export const ON_DEMAND =
  'opacity-0 group-hover:opacity-100 group-focus-within:opacity-100 pointer-coarse:opacity-100 forced-colors:opacity-100'

/**
 * A row of the list: a checkbox, the file and its actions. Tab stops at the file and its menu. The arrow keys reach the
 * other controls by their `data-control`, and Space selects.
 */
export const FileRow = memo(function FileRow({ file, selected, onSelect }: FileRowProps) {
  const { id, filename, mimeType, size, createdAt } = file
  const { t, format } = useMessages()
  const open = useFileDialogs()
  const typeKey = fileTypeKey(mimeType)
  const type = typeKey ? t(typeKey) : mimeType
  const held = isHeld(file)
  const bytes = format.bytes(size)

  return (
    <div
      data-file={id}
      data-selected={selected || undefined}
      className="group flex items-center gap-2 border-b border-line py-2 pr-1 pl-1 not-data-selected:has-aria-expanded:bg-sunken data-selected:bg-accent-soft sm:gap-3 sm:pr-2 sm:pl-2 lg:py-1 forced-colors:data-selected:outline-2 forced-colors:data-selected:-outline-offset-2"
    >
      <SelectBox
        label={t('files.select', { name: filename })}
        checked={selected}
        tabIndex={-1}
        onChange={(shiftKey) => onSelect(id, shiftKey)}
      />
      {/* On the narrowest phones, the name and the date need the space. */}
      <div className="shrink-0 max-[22.5rem]:hidden">
        <FileThumbnail file={file} className="size-10" />
      </div>
      <div className="min-w-0 flex-1 lg:flex lg:items-center lg:gap-3">
        <div className="flex min-w-0 items-center gap-1.5">
          <FileLink file={file} />
          {file.shared && <SharedMark />}
        </div>
        <p
          className={clsx(
            'flex items-center text-sm whitespace-pre text-ink-soft tabular-nums',
            !held && 'lg:hidden',
          )}
        >
          {/* Beside the badge, there is no space for the type and, on phones, for the size. */}
          {held ? <Badge>{t('files.held')}</Badge> : <span className="truncate max-sm:hidden">{type}</span>}
          <span className={clsx('shrink-0 lg:hidden', held && 'ml-1.5')}>
            {!held && <span className="max-sm:hidden"> · </span>}
            <span className={held ? 'max-sm:hidden' : undefined}>{bytes}</span>
            <span className="sm:hidden">
              {!held && ' · '}
              <LocalTime at={createdAt} dayOnly />
            </span>
          </span>
        </p>
      </div>
      <p className="hidden w-32 shrink-0 truncate text-sm text-ink-soft xl:block">{type}</p>
      <p className="hidden w-24 shrink-0 text-right text-sm text-ink-soft tabular-nums lg:block">{bytes}</p>
      <p className="hidden w-36 shrink-0 text-right text-sm text-ink-soft tabular-nums sm:block">
        <LocalTime at={createdAt} />
      </p>
      <div className="flex shrink-0">
        {held ? (
          // As wide as the buttons of other rows.
          <span className="hidden w-20 pointer-coarse:w-22 sm:block" />
        ) : (
          <div className={`flex max-sm:hidden ${ON_DEMAND}`}>
            <a
              href={`/files/${id}?download`}
              download
              tabIndex={-1}
              data-control="download"
              aria-label={t('files.downloadFile', { name: filename })}
              title={t('files.download')}
              className="inline-flex size-10 items-center justify-center rounded-lg text-ink-soft transition-colors hover:bg-sunken hover:text-ink pointer-coarse:size-11"
            >
              <Download aria-hidden="true" className="size-4" />
            </a>
            <IconButton
              label={t('shares.share', { name: filename })}
              tabIndex={-1}
              data-control="share"
              onClick={() => open('share', file)}
            >
              <Share2 aria-hidden="true" className="size-4" />
            </IconButton>
          </div>
        )}
        <FileMenu file={file} />
      </div>
    </div>
  )
})

/** Marks a file that anyone with a link can download. */
export function SharedMark() {
  const { t } = useMessages()
  return (
    <span title={t('files.shared')} className="relative shrink-0 text-accent">
      <Link2 aria-hidden="true" className="size-4" />
      <span className="sr-only">{t('files.shared')}</span>
    </span>
  )
}

type FileLinkProps = {
  file: FileItem
  /** In a tile, the name has two lines, and the whole tile opens the preview. */
  inTile?: boolean
}

/** The file's name, which opens the preview. A held file cannot be opened. */
export function FileLink({ file, inTile = false }: FileLinkProps) {
  const { id, filename } = file
  const open = useFileDialogs()
  const name = {
    title: filename,
    dir: 'auto',
    'data-control': 'open',
    children: inTile ? (
      <TileName name={filename} hasLabel={!isHeld(file)} />
    ) : (
      <FileName name={filename} hasLabel={!isHeld(file)} />
    ),
  } as const
  const className = clsx('max-w-full rounded-sm text-left font-medium', inTile ? 'block' : 'flex min-w-0')

  function preview(event: MouseEvent) {
    // These keys open a tab or a window.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    open('preview', file)
  }

  if (isHeld(file))
    return (
      // The arrow keys can focus it, as they do the link of other files.
      <span {...name} tabIndex={-1} className={className} />
    )
  return (
    <a
      {...name}
      // Its parts would be read as two words.
      aria-label={filename}
      // Not `url`, which can be the CDN's: the app's own URL checks the session and supports `?download`.
      href={`/files/${id}`}
      target="_blank"
      rel="noreferrer"
      onClick={preview}
      className={clsx(
        className,
        'hover:text-accent hover:underline',
        inTile && 'after:absolute after:inset-0',
      )}
    />
  )
}
