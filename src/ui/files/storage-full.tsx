import { Button } from '../components/button.tsx'
import { buttonClass } from '../components/button-class.ts'
import { Notice } from '../components/notice.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AppLink } from '../layout/app-link.tsx'
import { DEFAULT_VIEW, type FileView } from './list/file-view.ts'
import { type FileItem, hasFullStorage, type Usage, useFileTotals } from './use-file-queries.ts'

type StorageFullProps = {
  usage: Usage
  /** The newest files, including unfinished uploads. */
  files: FileItem[]
  show(view: Partial<FileView>): void
}

/** Says that the storage is full, with ways to free some: the quickest one stands out. The trash is one if it frees enough. */
export function StorageFull({ usage, files, show }: StorageFullProps) {
  const { t } = useMessages()
  const { data } = useFileTotals(DEFAULT_VIEW)
  const hasUploads = files.some(({ state }) => state === 'UPLOADING')
  const hasTrash = data !== undefined && !hasFullStorage({ ...usage, used: usage.used - data.trash.bytes })
  return (
    <Notice
      tone="error"
      silent
      action={
        <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:*:flex-auto">
          {hasTrash && (
            <AppLink href="/trash" className={buttonClass('primary', 'relative')}>
              {t('storage.openTrash')}
            </AppLink>
          )}
          <Button
            variant={hasTrash ? 'secondary' : 'primary'}
            onClick={() => show({ ...DEFAULT_VIEW, sort: 'largest' })}
          >
            {t('storage.showLargest')}
          </Button>
        </div>
      }
    >
      {t(`storage.full${hasUploads ? 'Uploads' : ''}${hasTrash ? 'Trash' : ''}Text`)}
    </Notice>
  )
}
