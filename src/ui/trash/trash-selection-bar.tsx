import { useMutation } from '@tanstack/react-query'
import { Undo2, X } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Button } from '../components/button.tsx'
import { DeleteButton } from '../components/delete-button.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { IconButton } from '../components/icon-button.tsx'
import { useAnnouncer } from '../context/announcer.tsx'
import { useClients } from '../context/use-clients.ts'
import { sendDeletion } from '../files/deletion/send-deletion.ts'
import { SelectionToolbar } from '../files/list/selection-toolbar.tsx'
import type { FileSelection } from '../files/list/use-selection.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { type TrashedFile, useRefreshTrash } from './use-trash.ts'

type TrashSelectionBarProps = {
  selection: FileSelection<TrashedFile>
  /** Number of loaded files. */
  loaded: number
  /** Shown while no file is selected. */
  children: ReactNode
}

/** Sticky bar above the trash: selects all loaded files, and restores or permanently deletes the selected ones. */
export function TrashSelectionBar({ selection, loaded, children }: TrashSelectionBarProps) {
  const { client } = useClients()
  const { t, format } = useMessages()
  const { announce } = useAnnouncer()
  const refresh = useRefreshTrash()
  const { files } = selection
  const count = files.length
  const size = format.bytes(files.reduce((sum, file) => sum + file.size, 0))

  /** Calls the server for each selected file, and refreshes the trash, even if some calls fail. */
  async function forEach(call: (fileId: string) => Promise<unknown>): Promise<void> {
    const results = await Promise.allSettled(files.map(({ id }) => sendDeletion(() => call(id))))
    await refresh()
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  }
  const restoration = useMutation({
    mutationFn: () => forEach((fileId) => client.files.restore.mutate({ fileId })),
    onSuccess: () => announce(t('trash.restoredSelected', { count })),
  })

  const text = useRef<HTMLParagraphElement>(null)
  const countBefore = useRef(0)
  // Otherwise `FocusKeeper` would focus the button that empties the trash.
  useLayoutEffect(() => {
    if (count === 0 && countBefore.current > 0 && document.activeElement === document.body)
      text.current?.closest('fieldset')?.querySelector('input')?.focus({ preventScroll: true })
    countBefore.current = count
  }, [count])

  return (
    <>
      <SelectionToolbar selection={selection} loaded={loaded}>
        <p
          ref={text}
          className="line-clamp-2 min-w-0 flex-1 pl-1 text-sm leading-tight text-ink-soft tabular-nums"
        >
          {count > 0 &&
            t.rich('files.selectedSize', {
              count,
              size,
              word: (text) => <span className="max-[22.5rem]:sr-only">{text}</span>,
              more: (text) => <span className="max-[22.5rem]:hidden">{text}</span>,
            })}
        </p>
        {count === 0 ? (
          children
        ) : (
          <>
            <Button
              variant="ghost"
              className="max-sm:px-2"
              busy={restoration.isPending}
              aria-label={t('trash.restoreSelected')}
              onClick={() => restoration.mutate()}
            >
              <Undo2 aria-hidden="true" className="size-4" />
              <span className="max-sm:sr-only">{t('trash.restore')}</span>
            </Button>
            <DeleteButton
              variant="ghost"
              label={t('trash.delete')}
              accessibleName={t('trash.deleteSelected')}
              title={t('trash.deleteSelectedTitle', { count })}
              description={t('trash.deleteSelectedText', { size })}
              confirmLabel={t('trash.delete')}
              doneText={t('trash.deleted')}
              onConfirm={() => forEach((fileId) => client.files.delete.mutate({ fileId }))}
            />
            <IconButton label={t('files.clearSelection')} onClick={selection.clear}>
              <X aria-hidden="true" className="size-4" />
            </IconButton>
          </>
        )}
      </SelectionToolbar>
      <ErrorNotice error={restoration.error} expected={{ QUOTA_EXCEEDED: 'trash.tooMany' }} className="m-2" />
    </>
  )
}
