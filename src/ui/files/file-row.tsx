'use client'

import { Download } from 'lucide-react'
import { memo } from 'react'
import { DeleteButton } from '../components/delete-button.tsx'
import { LocalTime } from '../components/local-time.tsx'
import { useClients } from '../context/use-clients.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { ShareButton } from '../shares/share-button.tsx'
import { CopyLinkButton } from './copy-link-button.tsx'
import { fileTypeKey } from './file-type-key.ts'
import { Thumbnail } from './thumbnail.tsx'
import { type FileItem, useRefreshFiles, useRemoveFromList } from './use-file-queries.ts'

export const FileRow = memo(function FileRow({ file }: { file: FileItem }) {
  const { id, filename, mimeType, size, createdAt, url } = file
  const { client } = useClients()
  const { t, format } = useWords()
  const removeFromList = useRemoveFromList()
  const refresh = useRefreshFiles()
  const typeKey = fileTypeKey(mimeType)
  // Not `url`: that is the CDN's if there is one, and the app adds the session check and the download.
  const href = `/files/${id}`
  return (
    <li className="row-lazy flex items-center gap-3 px-4 py-2.5 sm:gap-4 sm:px-5">
      <Thumbnail file={file} />
      <div className="min-w-0 flex-1">
        <a
          href={href}
          target="_blank"
          rel="noreferrer"
          title={filename}
          dir="auto"
          className="block truncate text-left rounded-sm font-medium hover:text-accent hover:underline"
        >
          {filename}
        </a>
        <p className="truncate text-sm text-ink-soft tabular-nums">
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
      <div className="-mr-3 flex shrink-0">
        <a
          href={`${href}?download`}
          aria-label={t('files.downloadFile', { name: filename })}
          title={t('files.download')}
          className="hidden size-10 items-center justify-center rounded-lg text-ink-soft transition-colors hover:bg-sunken hover:text-ink sm:inline-flex"
        >
          <Download aria-hidden="true" className="size-4" />
        </a>
        <ShareButton fileId={id} filename={filename} />
        <span className="max-sm:hidden">
          <CopyLinkButton filename={filename} url={url} />
        </span>
        <DeleteButton
          label={t('files.delete', { name: filename })}
          iconOnly
          title={t('files.deleteTitle')}
          description={t.rich('files.deleteText', {
            filename,
            size: format.bytes(size),
            name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
          })}
          confirmLabel={t('files.deleteConfirm')}
          onConfirm={() => client.files.delete.mutate({ fileId: id })}
          onDeleted={() => {
            removeFromList(id)
            refresh()
          }}
        />
      </div>
    </li>
  )
})
