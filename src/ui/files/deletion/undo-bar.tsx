import { Trash2, Undo2, X } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { DeletionQueue } from './deletion-queue.ts'

type UndoBarProps = {
  queue: DeletionQueue
  waiting: number
  sending: number
  /** Name of the file that waits, if there is one and its name is known. */
  name: string | undefined
}

/**
 * Bar with the name or the number of deleted files and Undo, which Ctrl+Z and Cmd+Z trigger too. On phones it is above the
 * navigation, within reach of the thumb. Where the upload tray or *Send* is there, it is at the top.
 */
export function UndoBar({ queue, waiting, sending, name }: UndoBarProps) {
  const { t } = useMessages()
  const { announce } = useAnnouncer()

  function undo() {
    const count = queue.undo()
    announce(t('files.restored', { count }))
  }
  const latestUndo = useRef(undo)
  latestUndo.current = undo

  useEffect(() => {
    if (waiting === 0) return
    announce(t('files.deletedWithUndo', { count: waiting }))
  }, [waiting, announce, t])

  const canUndo = waiting > 0
  // A layout effect, so that the keys work as soon as the bar is visible.
  useLayoutEffect(() => {
    if (!canUndo) return
    function onKeyDown(event: KeyboardEvent) {
      if (event.key !== 'z' || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey)) return
      // Text fields have their own undo.
      if (event.target instanceof Element && event.target.closest('input:not([type=checkbox]), textarea'))
        return
      event.preventDefault()
      latestUndo.current()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [canUndo])

  if (waiting + sending === 0) return null
  return (
    <section
      data-undo
      aria-label={t('files.deletedFiles')}
      onFocus={() => queue.hold(true)}
      onBlur={() => queue.hold(false)}
      onPointerEnter={() => queue.hold(true)}
      onPointerLeave={() => queue.hold(false)}
      className="fixed inset-x-4 bottom-[calc(4.25rem+env(safe-area-inset-bottom))] z-40 mx-auto flex max-w-lg items-center max-[22.5rem]:flex-wrap gap-x-2 rounded-lg border border-line bg-surface py-1.5 pr-1.5 pl-4 shadow-tray sm:right-auto sm:bottom-4 sm:left-[max(1.5rem,calc(50%-30.5rem))] xl:left-[max(1.5rem,calc(50%-36.5rem))] sm:min-w-80 max-sm:[body:has([data-tray],[data-send-bar])_&]:top-16 max-sm:[body:has([data-tray],[data-send-bar])_&]:bottom-auto print:hidden"
    >
      <Trash2 aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
      <p
        title={name}
        className="min-w-0 flex-1 basis-32 truncate text-sm max-sm:whitespace-normal max-sm:wrap-anywhere sm:basis-auto"
      >
        {waiting === 0
          ? t('files.deleting', { count: sending })
          : name === undefined
            ? t('files.deleted', { count: waiting })
            : t('files.deletedOne', { name })}
      </p>
      {waiting > 0 && (
        // On the narrowest phones, Undo has a line of its own.
        <div className="flex shrink-0 max-[22.5rem]:contents">
          <Button className="max-[22.5rem]:order-last" onClick={undo}>
            <Undo2 aria-hidden="true" className="size-4" />
            {t('files.undo')}
          </Button>
          <IconButton label={t('common.close')} onClick={() => void queue.deleteNow()}>
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        </div>
      )}
    </section>
  )
}
