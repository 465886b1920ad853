import { useMutation } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../components/button.tsx'
import { DeleteButton } from '../components/delete-button.tsx'
import { DottedParts } from '../components/dotted-parts.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { FileName } from '../components/file-name.tsx'
import { moveFocusBeforeRemoval } from '../components/focus-after-removal.ts'
import { LocalTime } from '../components/local-time.tsx'
import { useAnnouncer } from '../context/announcer.tsx'
import { useClients } from '../context/use-clients.ts'
import { FileTypeIcon } from '../files/file-type-icon.tsx'
import { SelectBox } from '../files/list/select-box.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { type TrashedFile, useRefreshTrash } from './use-trash.ts'

const DAY_MS = 24 * 60 * 60_000

type TrashRowProps = {
  file: TrashedFile
  index: number
  selected: boolean
  onSelect(id: string, extend: boolean): void
}

/**
 * A file in the trash, with the time until it is permanently deleted. Tab stops at the checkbox and at *Restore*; the
 * arrow keys also reach the button that deletes the file. On phones, that button is only in the bar for selected files.
 */
export function TrashRow({ file, index, selected, onSelect }: TrashRowProps) {
  const { id, filename, mimeType, size, trashedAt, expiresAt } = file
  const { client } = useClients()
  const { t, format } = useMessages()
  const { announce } = useAnnouncer()
  const refresh = useRefreshTrash()
  const button = useRef<HTMLButtonElement>(null)
  const restoration = useMutation({
    mutationFn: async () => {
      await client.files.restore.mutate({ fileId: id })
      if (button.current) moveFocusBeforeRemoval(button.current)
      await refresh()
    },
    onSuccess: () => announce(t('trash.restored', { name: filename })),
  })
  const left = (Date.parse(expiresAt) - Date.now()) / DAY_MS
  const daysLeft = t('trash.daysLeft', { count: left < 1 ? 0 : Math.round(left) })
  const bytes = format.bytes(size)
  const deleted = (
    <>
      {t('trash.deletedOn')} <LocalTime at={trashedAt} dayOnly />
    </>
  )
  return (
    <li
      data-index={index}
      data-selected={selected || undefined}
      className="scroll-mt-32 py-2 pr-1 pl-1 last:rounded-b-xl data-selected:bg-accent-soft max-sm:pt-1 max-sm:pb-0 sm:pr-2 sm:pl-2 lg:py-1 forced-colors:data-selected:outline-2 forced-colors:data-selected:-outline-offset-2"
    >
      {/* On phones, the size and *Restore* are below the name. */}
      <div className="flex items-center gap-1 max-sm:grid max-sm:grid-cols-[auto_auto_minmax(0,1fr)_auto] max-sm:gap-y-0 max-sm:*:not-last:row-span-2 sm:gap-3">
        <SelectBox
          label={t('files.select', { name: filename })}
          checked={selected}
          onChange={(shiftKey) => onSelect(id, shiftKey)}
        />
        {/* On the narrowest phones, the name needs the space. */}
        <FileTypeIcon mimeType={mimeType} className="max-[22.5rem]:hidden" />
        <div className="min-w-0 flex-1 max-sm:contents xl:flex xl:items-center xl:gap-3">
          <p
            className="flex min-w-0 flex-1 text-left font-medium max-sm:col-span-2 max-sm:col-start-3 max-sm:pt-1.5 max-sm:pr-3"
            dir="auto"
            title={filename}
          >
            <FileName name={filename} />
          </p>
          <div className="col-start-3 text-sm text-ink-soft tabular-nums sm:hidden">
            <DottedParts
              parts={[
                bytes,
                <span key="left" suppressHydrationWarning>
                  {daysLeft}
                </span>,
              ]}
            />
          </div>
          <p className="truncate text-sm text-ink-soft tabular-nums max-sm:hidden xl:hidden">
            {bytes} · {deleted}
          </p>
        </div>
        <p className="hidden w-24 shrink-0 text-right text-sm text-ink-soft tabular-nums xl:block">{bytes}</p>
        <p className="hidden w-40 shrink-0 text-right text-sm text-ink-soft tabular-nums xl:block">
          {deleted}
        </p>
        <p
          className="hidden w-28 shrink-0 text-right text-sm text-ink-soft tabular-nums sm:block"
          suppressHydrationWarning
        >
          {daysLeft}
        </p>
        <div className="flex shrink-0 items-center max-sm:col-start-4">
          <Button
            ref={button}
            variant="ghost"
            data-control="restore"
            className="max-sm:px-3"
            busy={restoration.isPending}
            aria-label={t('trash.restoreFile', { name: filename })}
            onClick={() => restoration.mutate()}
          >
            <Undo2 aria-hidden="true" className="size-4 max-sm:hidden" />
            {t('trash.restore')}
          </Button>
          <DeleteButton
            iconOnly
            className="max-sm:hidden"
            tabIndex={-1}
            data-control="delete"
            label={t('trash.deleteFile', { name: filename })}
            title={t('trash.deleteTitle')}
            description={t.rich('trash.deleteText', {
              file: filename,
              name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
            })}
            confirmLabel={t('trash.delete')}
            doneText={t('trash.deleted')}
            onConfirm={() => client.files.delete.mutate({ fileId: id })}
            onDeleted={refresh}
          />
        </div>
      </div>
      <ErrorNotice
        error={restoration.error}
        expected={{ NOT_FOUND: 'trash.gone', QUOTA_EXCEEDED: 'trash.tooMany' }}
        className="mt-2"
      />
    </li>
  )
}
