import type { BackendFile } from '@pigeonhole/client/admin'
import clsx from 'clsx'
import { LocalTime } from '../../components/local-time.tsx'
import { FileTypeIcon } from '../../files/file-type-icon.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { DeleteFileButton } from './delete-file-button.tsx'
import { FileStateBadge } from './file-state-badge.tsx'
import { OwnerLink } from './owner-link.tsx'
import { VerdictButtons } from './verdict-buttons.tsx'

export function FileRow({ file }: { file: BackendFile }) {
  const { t, format } = useMessages()
  const { id, filename, size, state, policy, createdAt } = file
  return (
    <li className="row-lazy flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3 sm:px-5">
      <FileTypeIcon mimeType={file.mimeType} className="max-sm:hidden" />
      <div className={clsx('min-w-0 flex-1', state === 'HELD' && 'basis-56')}>
        <p className="flex flex-wrap items-center gap-x-2">
          <AppLink
            href={`/admin/files/${id}`}
            className="relative inline-flex min-h-8 max-w-full items-center font-medium text-accent underline pointer-coarse:min-h-11"
          >
            <bdi className="truncate">{filename}</bdi>
          </AppLink>
          <FileStateBadge state={state} />
        </p>
        <p className="text-sm text-ink-soft tabular-nums">
          {format.bytes(size)} · <LocalTime at={createdAt} />
          {policy !== null && <> · {t('admin.files.withPolicy', { policy })}</>}
        </p>
        <p className="flex items-center gap-1 text-sm text-ink-soft">
          {t('admin.files.of')} <OwnerLink file={file} />
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {state === 'HELD' && <VerdictButtons file={file} />}
        <DeleteFileButton file={file} iconOnly />
      </div>
    </li>
  )
}
