'use client'

import { Trash2, Undo2 } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { useTell } from '../../context/announcer.tsx'
import { useWords } from '../../i18n/messages-provider.tsx'
import type { DeletionQueue } from './deletion-queue.ts'

type UndoBarProps = { queue: DeletionQueue; waiting: number; sending: number }

/**
 * What was deleted, with Undo, also by Ctrl or Cmd+Z. On phones at the top, where neither the upload tray nor the
 * navigation is.
 */
export function UndoBar({ queue, waiting, sending }: UndoBarProps) {
  const { t } = useWords()
  const { announce } = useTell()

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
  // As soon as the bar is seen.
  useLayoutEffect(() => {
    if (!canUndo) return
    function onKeyDown(event: KeyboardEvent) {
      if (event.key !== 'z' || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey)) return
      // Text fields have an undo of their own.
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
      aria-label={t('files.deletedFiles')}
      onFocus={() => queue.hold(true)}
      onBlur={() => queue.hold(false)}
      onPointerEnter={() => queue.hold(true)}
      onPointerLeave={() => queue.hold(false)}
      className="fixed inset-x-4 top-16 z-40 mx-auto flex max-w-lg flex-wrap items-center gap-x-2 rounded-lg border border-line bg-surface py-1.5 pr-1.5 pl-4 shadow-tray sm:top-auto sm:right-auto sm:bottom-4 print:hidden"
    >
      <Trash2 aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
      <p className="min-w-0 flex-1 basis-32 text-sm">
        {waiting > 0 ? t('files.deleted', { count: waiting }) : t('files.deleting', { count: sending })}
      </p>
      {waiting > 0 && (
        <div className="flex">
          <Button variant="ghost" onClick={() => void queue.deleteNow()}>
            {t('files.deleteNow')}
          </Button>
          <Button onClick={undo}>
            <Undo2 aria-hidden="true" className="size-4" />
            {t('files.undo')}
          </Button>
        </div>
      )}
    </section>
  )
}
