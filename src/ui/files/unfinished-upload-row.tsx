import { reopen, type UploadSource } from '@pigeonhole/client/browser'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { Ellipsis, Trash2 } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../components/button.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { FileName } from '../components/file-name.tsx'
import { moveFocusBeforeRemoval } from '../components/focus-after-removal.ts'
import { Menu, MenuItem } from '../components/menu.tsx'
import { ProgressBar } from '../components/progress-bar.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { FileInput } from '../uploads/file-input.tsx'
import { FileTypeIcon } from './file-type-icon.tsx'
import { useDiscardUpload } from './use-discard-upload.ts'
import { useRefreshFiles } from './use-file-queries.ts'
import { canReopen, type UnfinishedUpload } from './use-unfinished-uploads.ts'

type UnfinishedUploadRowProps = {
  upload: UnfinishedUpload
  /** Called after the upload was resumed or discarded, or discarding it failed. */
  onChange(): void
}

export function UnfinishedUploadRow({ upload, onChange }: UnfinishedUploadRowProps) {
  const { uploader } = useClients()
  const { t } = useMessages()
  const { text: kept, fraction } = useKept(upload)
  const refresh = useRefreshFiles()
  const input = useRef<HTMLInputElement>(null)
  const row = useRef<HTMLLIElement>(null)
  const { fileId, name, mimeType, entry } = upload
  const needsFile = !canReopen(upload)

  function moveFocus() {
    if (row.current) moveFocusBeforeRemoval(row.current)
  }

  function resumeFrom(source: UploadSource) {
    moveFocus()
    // The uploader recognizes stored uploads by their file. Uploads from elsewhere need the ID.
    if (entry) uploader.upload(source)
    else uploader.resumeFrom(fileId, source)
    onChange()
  }

  async function resume() {
    const source = entry && (await reopen(entry))
    if (source) resumeFrom(source)
    else input.current?.click()
  }

  const discardUpload = useDiscardUpload()
  const discard = useMutation({
    mutationFn: async () => {
      await discardUpload(upload)
    },
    onSuccess: moveFocus,
    onSettled: () => {
      onChange()
      refresh()
    },
  })

  return (
    <li
      ref={row}
      aria-busy={discard.isPending}
      className="flex aria-busy:opacity-60 flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5 sm:px-5"
    >
      <FileTypeIcon mimeType={mimeType} />
      <div className="min-w-0 flex-1 basis-40">
        <p className="truncate text-left text-sm font-medium" title={name} dir="auto">
          {name}
        </p>
        <p className="text-sm text-ink-soft">
          {[kept, ...(entry ? [] : [t('unfinished.elsewhere')])].join(' · ')}
        </p>
        {fraction !== undefined && (
          <ProgressBar
            label={t('unfinished.progress', { name })}
            value={fraction}
            valueText={kept}
            className="mt-1.5"
          />
        )}
      </div>
      {/* The last icon is aligned with those of the file list. */}
      <div className="-mr-3 flex justify-between gap-2 max-sm:w-[calc(100%+0.75rem)] max-sm:pl-13">
        <Button
          onClick={resume}
          aria-label={t(needsFile ? 'unfinished.chooseFileFor' : 'unfinished.resumeFile', { name })}
        >
          {t(needsFile ? 'unfinished.chooseFile' : 'unfinished.resume')}
        </Button>
        <Menu
          label={t('files.actions', { name })}
          icon={Ellipsis}
          sheetTitle={<FileName hasLabel name={name} />}
        >
          <MenuItem icon={Trash2} danger onClick={() => !discard.isPending && discard.mutate()}>
            {t('unfinished.discard')}
          </MenuItem>
        </Menu>
      </div>
      <ErrorNotice error={discard.error} className="w-full" />
      <FileInput
        ref={input}
        label={t('unfinished.chooseAgain', { name })}
        onFiles={([source]) => source && resumeFrom(source)}
      />
    </li>
  )
}

/** Options of the query for an upload's status. */
export function statusQuery(client: ReturnType<typeof useClients>['client'], fileId: string) {
  return queryOptions({
    queryKey: ['upload', 'status', fileId],
    queryFn: ({ signal }) => client.upload.status.query({ fileId }, { signal }),
  })
}

/**
 * Returns how much of a multipart upload the store keeps and until when, and as a fraction from 0 to 1. While unknown, and
 * for uploads without stored parts, there is only a text.
 */
function useKept({ fileId, size }: UnfinishedUpload): { text: string; fraction?: number } {
  const { client } = useClients()
  const { t, format, formatLocale } = useMessages()
  const { data } = useQuery(statusQuery(client, fileId))
  if (!data?.parts || !data.expiresAt) return { text: format.bytes(size) }
  const kept = data.parts.reduce((sum, part) => sum + part.size, 0)
  if (kept === 0) return { text: t('unfinished.notStarted', { size: format.bytes(size) }) }
  // Without the year: it is at most days away.
  const date = new Intl.DateTimeFormat(formatLocale, { day: 'numeric', month: 'short' })
  const day = date.format(new Date(data.expiresAt)).replaceAll(' ', '\u00a0')
  const text = t('unfinished.kept', { kept: format.bytes(kept, size), size: format.bytes(size), day })
  return { text, fraction: kept / size }
}
