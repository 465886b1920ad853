import { Button } from '../components/button.tsx'
import { buttonClass } from '../components/button-class.ts'
import { Notice } from '../components/notice.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AppLink } from '../layout/app-link.tsx'
import { DEFAULT_VIEW, type FileView } from './list/file-view.ts'

/** Says that the storage is full, with ways to free some. */
export function StorageFull({ show }: { show(view: Partial<FileView>): void }) {
  const { t } = useMessages()
  return (
    <Notice
      tone="error"
      silent
      action={
        <div className="flex flex-wrap gap-2">
          <AppLink href="/trash" className={buttonClass('secondary', 'relative')}>
            {t('storage.openTrash')}
          </AppLink>
          <Button onClick={() => show({ ...DEFAULT_VIEW, sort: 'largest' })}>
            {t('storage.showLargest')}
          </Button>
        </div>
      }
    >
      {t('storage.fullText')}
    </Notice>
  )
}
