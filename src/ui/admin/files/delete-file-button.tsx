import type { BackendFile } from '@pigeonhole/client/admin'
import { useQueryClient } from '@tanstack/react-query'
import { DeleteButton } from '../../components/delete-button.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { ADMIN_KEYS } from '../keys.ts'

type DeleteFileButtonProps = { file: BackendFile; onDeleted(): void }

/** Deletes a file, or ends its unfinished upload, after a confirmation. */
export function DeleteFileButton({ file: { id, filename }, onDeleted }: DeleteFileButtonProps) {
  const { t } = useMessages()
  const queries = useQueryClient()
  return (
    <DeleteButton
      label={t('admin.files.delete')}
      title={t('admin.files.deleteTitle')}
      description={t.rich('admin.files.deleteText', {
        file: filename,
        name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
      })}
      confirmLabel={t('admin.files.delete')}
      onConfirm={() => admin.files.delete(id)}
      onDeleted={() => {
        void queries.invalidateQueries({ queryKey: ADMIN_KEYS.files })
        onDeleted()
      }}
    />
  )
}
