import type { BackendFile } from '@pigeonhole/client/admin'
import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { DeleteFileButton } from './delete-file-button.tsx'
import { VerdictButtons } from './verdict-buttons.tsx'

/** Buttons that download, accept, reject and delete a file. */
export function FileActionsCard({ file }: { file: BackendFile }) {
  const { t } = useMessages()
  const router = useRouter()
  const { id, state, expiresAt } = file
  const download = useMutation({
    mutationFn: () => admin.files.url(id, { download: true }),
    onSuccess: ({ url }) => location.assign(url),
  })
  return (
    <Card title={t('admin.files.actions')}>
      <div className="space-y-3 px-4 py-4 text-sm sm:px-5">
        {state === 'HELD' && expiresAt && (
          <p className="text-ink-soft">
            {t.rich('admin.files.heldText', { time: expiresAt, when: () => <LocalTime at={expiresAt} /> })}
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          {state === 'HELD' && <VerdictButtons file={file} />}
          {(state === 'HELD' || state === 'READY') && (
            <Button busy={download.isPending} onClick={() => download.mutate()}>
              {t('files.download')}
            </Button>
          )}
          <DeleteFileButton file={file} onDeleted={() => router.push('/admin/files')} />
        </div>
        <ErrorNotice error={download.error} />
      </div>
    </Card>
  )
}
