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
/** On phones, the button is only an icon, whose border shows that it is the main action. */
const RESTORE =
  'max-sm:mr-1 max-sm:min-w-10 max-sm:border max-sm:border-line-strong max-sm:px-2 max-sm:pointer-coarse:min-w-11'

type TrashRowProps = {
  file: TrashedFile
  index: number
  selected: boolean
  onSelect(id: string, extend: boolean): void
}

/**
 * A file in the trash, with the time until it is permanently deleted. Tab stops at the checkbox and at *Restore*; the
 * arrow keys also reach the button that deletes the file.
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
      className="scroll-mt-32 py-2 pr-1 pl-1 last:rounded-b-xl data-selected:bg-accent-soft sm:pr-2 sm:pl-2 lg:py-1 forced-colors:data-selected:outline-2 forced-colors:data-selected:-outline-offset-2"
    >
      <div className="flex items-center gap-1 sm:gap-3">
        <SelectBox
          label={t('files.select', { name: filename })}
          checked={selected}
          onChange={(shiftKey) => onSelect(id, shiftKey)}
        />
        {/* On the narrowest phones, the name needs the space. */}
        <FileTypeIcon mimeType={mimeType} className="max-[22.5rem]:hidden" />
        <div className="min-w-0 flex-1 xl:flex xl:items-center xl:gap-3">
          {/* On narrow phones, a cut in the middle would leave little of a name. */}
          <p
            className="flex min-w-0 flex-1 text-left font-medium max-[25rem]:line-clamp-2 max-[25rem]:*:not-[.sr-only]:inline max-[25rem]:*:not-[.sr-only]:whitespace-normal"
            dir="auto"
            title={filename}
          >
            <FileName name={filename} />
          </p>
          <div className="text-sm text-ink-soft tabular-nums sm:hidden">
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
        <div className="flex shrink-0 items-center">
          <Button
            ref={button}
            variant="ghost"
            data-control="restore"
            className={RESTORE}
            busy={restoration.isPending}
            aria-label={t('trash.restoreFile', { name: filename })}
            onClick={() => restoration.mutate()}
          >
            <Undo2 aria-hidden="true" className="size-4 max-sm:size-5" />
            <span className="max-sm:sr-only">{t('trash.restore')}</span>
          </Button>
          <DeleteButton
            iconOnly
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
