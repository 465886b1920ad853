import { AlertDialogCancel } from '@radix-ui/react-alert-dialog'
import { Button } from '../../components/button.tsx'
import { DataList, DetailList } from '../../components/detail-list.tsx'
import { Dialog, DialogButtons } from '../../components/dialog.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { fileTypeKey } from '../file-type-key.ts'
import type { FileItem } from '../use-file-queries.ts'

type DetailsDialogProps = { file: FileItem; onClose(): void; onClosed(): void }

/** Shows a file's type, size and time, and what the app stored with it. */
export function DetailsDialog({ file, onClose, onClosed }: DetailsDialogProps) {
  const { t, format } = useMessages()
  const { filename, mimeType, size, policy, data, createdAt } = file
  const typeKey = fileTypeKey(mimeType)
  const isPublic = file.visibility === 'public'
  return (
    <Dialog
      title={t('files.details')}
      description={<bdi className="wrap-anywhere">{filename}</bdi>}
      onClose={onClose}
      onCloseAutoFocus={(event) => {
        event.preventDefault()
        onClosed()
      }}
    >
      <div className="-mx-4 sm:-mx-5">
        <DetailList
          details={[
            [t('files.detailType'), typeKey ? t(typeKey) : mimeType],
            [t('files.detailSize'), format.bytes(size)],
            [t('files.detailCreated'), <LocalTime key="created" at={createdAt} withTime />],
            [t('files.detailVisibility'), t(isPublic ? 'files.public' : 'files.private')],
            [t('files.detailPolicy'), policy],
          ]}
        />
        {data && (
          <section aria-label={t('files.detailData')} className="border-t border-line">
            <DataList data={data} />
          </section>
        )}
      </div>
      <DialogButtons>
        <AlertDialogCancel asChild>
          <Button>{t('common.close')}</Button>
        </AlertDialogCancel>
      </DialogButtons>
    </Dialog>
  )
}
