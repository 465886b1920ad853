import type { BackendFile } from '@pigeonhole/client/admin'
import clsx from 'clsx'
import { FileName } from '../../components/file-name.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { FileTypeIcon } from '../../files/file-type-icon.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { Cell } from '../columns.tsx'
import { FileStateBadge } from './file-state-badge.tsx'
import { OwnerLink } from './owner-link.tsx'
import { VerdictButtons } from './verdict-buttons.tsx'

/** Columns of the list on wide screens: file, owner, size, creation, state. */
export const FILE_GRID = 'lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)_6rem_8rem_13rem]'

/** A file as a table row or, on phones, as a card without the usual state. Held files have buttons beside the state. */
export function FileRow({ file }: { file: BackendFile }) {
  const { t, format } = useMessages()
  const { id, filename, size, state, policy, createdAt } = file
  return (
    <li
      className={clsx(
        'row-lazy grid items-start gap-x-4 gap-y-1 px-4 py-3 max-lg:grid-cols-[minmax(0,1fr)_auto] sm:px-5 lg:items-center',
        FILE_GRID,
      )}
    >
      <div className={clsx('flex min-w-0 items-center gap-x-3', state === 'READY' && 'max-lg:col-span-2')}>
        <FileTypeIcon mimeType={file.mimeType} className="max-sm:hidden" />
        <div className="min-w-0">
          <AppLink
            href={`/admin/files/${id}`}
            title={filename}
            className="relative inline-flex min-h-8 max-w-full items-center font-medium text-accent underline pointer-coarse:after:absolute pointer-coarse:after:-inset-x-2 pointer-coarse:after:-inset-y-2"
          >
            <bdi className="flex min-w-0">
              <FileName name={filename} />
            </bdi>
          </AppLink>
          {policy !== null && (
            <p className="text-sm wrap-anywhere text-ink-soft first-letter:uppercase">
              {t('admin.files.withPolicy', { policy })}
            </p>
          )}
        </div>
      </div>
      {/* Below the name, which is beside the icon. */}
      <div
        className={clsx(
          'flex flex-wrap gap-x-4 gap-y-1 sm:max-lg:pl-13 lg:contents',
          state === 'HELD' ? 'max-sm:col-span-2' : 'max-lg:col-span-2',
        )}
      >
        <Cell label={t('admin.files.owner')} className="max-sm:w-full">
          <OwnerLink file={file} />
        </Cell>
        <Cell label={t('admin.files.size')} isNumber className="whitespace-nowrap">
          {format.bytes(size)}
        </Cell>
        <Cell label={t('admin.files.created')} className="tabular-nums">
          <LocalTime at={createdAt} />
        </Cell>
      </div>
      <div className="flex flex-wrap items-center gap-1.5 max-lg:contents">
        <Cell
          label={t('admin.status')}
          isPlain
          className={clsx(
            'max-lg:col-start-2 max-lg:row-start-1 max-lg:justify-self-end max-lg:pt-1.5',
            state === 'READY' && 'max-lg:hidden',
          )}
        >
          <FileStateBadge state={state} />
        </Cell>
        {state === 'HELD' && (
          <div className="flex flex-wrap gap-1.5 max-sm:col-span-2 sm:max-lg:self-end">
            <VerdictButtons file={file} small />
          </div>
        )}
      </div>
    </li>
  )
}
