import * as Dialog from '@radix-ui/react-dialog'
import clsx from 'clsx'
import {
  ChevronLeft,
  ChevronRight,
  Download,
  ExternalLink,
  type LucideIcon,
  Pencil,
  Share2,
  Trash2,
  X,
} from 'lucide-react'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { buttonClass } from '../../components/button-class.ts'
import { FileName } from '../../components/file-name.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { useDeletions } from '../deletion/use-deletions.ts'
import { fileTypeKey } from '../file-type-key.ts'
import type { FileItem } from '../use-file-queries.ts'
import { PreviewContent } from './preview-content.tsx'
import { useFileDialogs } from './use-file-dialogs.ts'

/** Remaining files at which the dialog loads more. */
const LOAD_AHEAD = 10

type PreviewDialogProps = {
  files: FileItem[]
  first: FileItem
  hasMore: boolean
  loadMore(): void
  /** Closes the dialog over the preview. Undefined if none is open. */
  closeOther: (() => void) | undefined
  onClose(): void
  /** Called after the dialog has closed, to restore the focus. */
  onClosed(): void
}

/** Shows a file over the page. The arrow keys show the list's next and previous file. */
export function PreviewDialog(props: PreviewDialogProps) {
  const { files, first, hasMore, loadMore, closeOther, onClose, onClosed } = props
  const { t, format } = useMessages()
  const { announce } = useAnnouncer()
  const open = useFileDialogs()
  const deletions = useDeletions()
  const [shownId, setShownId] = useState(first.id)
  const index = files.findIndex(({ id }) => id === shownId)
  // Keeps showing a file that has disappeared from the list.
  const [last, setLast] = useState(first)
  const file = files[index] ?? last
  const total = files.length
  const { mimeType, filename, size, id } = file
  const typeKey = fileTypeKey(mimeType)

  useEffect(() => {
    if (hasMore && index >= total - LOAD_AHEAD) loadMore()
  }, [index, total, hasMore, loadMore])

  function go(step: number) {
    const next = files[index + step]
    if (!next) return
    setShownId(next.id)
    setLast(next)
    announce(t('files.previewPosition', { name: next.filename, position: index + step + 1, total }))
  }

  /** Shows the next file or, after the last one, the previous one. */
  function deleteShown() {
    deletions.add([id])
    if (total <= 1) onClose()
    else go(index + 1 < total ? 1 : -1)
  }

  function onKeyDown(event: KeyboardEvent) {
    // A focused video and a zoomed image use the arrow keys themselves.
    if (
      event.defaultPrevented ||
      event.target instanceof HTMLVideoElement ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey
    )
      return
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    go(step)
  }

  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay data-preview className="fixed inset-0 z-40 bg-black/70" />
        <Dialog.Content
          aria-describedby={undefined}
          onKeyDown={onKeyDown}
          onEscapeKeyDown={(event) => {
            // A dialog handles Escape only some milliseconds after it appears. Until then, the key arrives here.
            if (!closeOther) return
            event.preventDefault()
            closeOther()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            onClosed()
          }}
          className="fixed inset-0 z-50 flex flex-col bg-surface outline-none sm:inset-4 sm:rounded-xl sm:border sm:border-line"
        >
          {/* On phones, the actions have a line of their own, so that the name keeps its space. */}
          <header className="flex flex-wrap items-center gap-1 border-b border-line px-1 py-1 sm:flex-nowrap">
            <div className="min-w-0 flex-1 py-1 pl-3 sm:pr-3">
              {/* Without the label, the parts of the name would be read as two words. */}
              <Dialog.Title
                aria-label={filename}
                dir="auto"
                className="flex text-left font-semibold"
                title={filename}
              >
                <FileName name={filename} hasLabel />
              </Dialog.Title>
              <p className="flex text-sm whitespace-pre text-ink-soft tabular-nums">
                {typeKey && <span className="truncate">{t(typeKey)}</span>}
                <span className="shrink-0">
                  {typeKey && ' · '}
                  {format.bytes(size)}
                  {index >= 0 &&
                    ` · ${t('files.position', { position: index + 1, total })}${hasMore ? '+' : ''}`}
                </span>
              </p>
            </div>
            <div className="flex gap-1 max-sm:order-last max-sm:basis-full">
              <a
                href={`/files/${id}?download`}
                download
                aria-label={t('files.downloadFile', { name: filename })}
                title={t('files.download')}
                className={buttonClass('primary', 'max-sm:ml-2 max-[22.5rem]:px-3')}
              >
                <Download aria-hidden="true" className="size-4" />
                <span className="max-[22.5rem]:hidden">{t('files.download')}</span>
              </a>
              <button
                type="button"
                aria-label={t('shares.share', { name: filename })}
                title={t('shares.share', { name: filename })}
                data-control="share"
                onClick={() => open('share', file)}
                className={ACTION}
              >
                <ActionLabel icon={Share2}>{t('files.share')}</ActionLabel>
              </button>
              <a
                href={`/files/${id}`}
                target="_blank"
                rel="noreferrer"
                aria-label={t('files.openInTab', { name: filename })}
                title={t('files.newTab')}
                className={ACTION}
              >
                <ActionLabel icon={ExternalLink}>{t('files.open')}</ActionLabel>
              </a>
              <button
                type="button"
                aria-label={t('files.renameFile', { name: filename })}
                title={t('files.renameFile', { name: filename })}
                data-control="rename"
                onClick={() => open('rename', file)}
                className={ACTION}
              >
                <ActionLabel icon={Pencil}>{t('files.rename')}</ActionLabel>
              </button>
              <button
                type="button"
                aria-label={t('files.trashFile', { name: filename })}
                title={t('files.trashFile', { name: filename })}
                onClick={deleteShown}
                className={clsx(ACTION, 'text-danger! hover:bg-danger-soft')}
              >
                <ActionLabel icon={Trash2}>{t('files.moveToTrash')}</ActionLabel>
              </button>
            </div>
            <Dialog.Close asChild>
              <IconButton label={t('common.close')}>
                <X aria-hidden="true" className="size-5" />
              </IconButton>
            </Dialog.Close>
          </header>
          {/* On phones, the buttons for the other files are below the content, as is the bar for zooming. */}
          <div
            className={clsx(
              'stage relative flex min-h-0 flex-1 items-center justify-center p-2 sm:rounded-b-xl sm:px-16',
              total > 1 && 'max-sm:not-has-[>fieldset]:pb-15',
            )}
          >
            <PreviewContent key={id} file={file} />
            {total > 1 && (
              <>
                <StepButton
                  side="left"
                  label={t('files.previous')}
                  disabled={index <= 0}
                  onClick={() => go(-1)}
                />
                <StepButton
                  side="right"
                  label={t('files.next')}
                  disabled={index === total - 1}
                  onClick={() => go(1)}
                />
              </>
            )}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** An action in the header: an icon, with its name on wide screens. */
const ACTION =
  'flex h-10 min-w-10 shrink-0 items-center justify-center gap-2 rounded-lg text-sm font-medium text-ink-soft transition-colors hover:bg-sunken hover:text-ink xl:px-3 pointer-coarse:h-11 pointer-coarse:min-w-11'

function ActionLabel({ icon: Icon, children }: { icon: LucideIcon; children: string }) {
  return (
    <>
      <Icon aria-hidden="true" className="size-4" />
      <span className="max-xl:hidden">{children}</span>
    </>
  )
}

type StepButtonProps = { side: 'left' | 'right'; label: string; disabled: boolean; onClick(): void }

/** Uses `aria-disabled` at the ends of the list, because a disabled button would lose the focus. */
function StepButton({ side, label, disabled, onClick }: StepButtonProps) {
  const Icon = side === 'left' ? ChevronLeft : ChevronRight
  return (
    <IconButton
      label={label}
      aria-disabled={disabled}
      onClick={onClick}
      // At the center of the picture above the bar for zooming. On phones below the picture, where they cover nothing.
      className={`absolute max-sm:bottom-2 sm:top-1/2 sm:-translate-y-1/2 sm:[:has(>fieldset)>&]:top-[calc(50%-1.625rem)] border border-line bg-surface shadow-card aria-disabled:shadow-none max-sm:not-focus-visible:aria-disabled:pointer-events-none max-sm:not-focus-visible:aria-disabled:opacity-0 ${side === 'left' ? 'left-2' : 'right-2'}`}
    >
      <Icon aria-hidden="true" className="size-5" />
    </IconButton>
  )
}
