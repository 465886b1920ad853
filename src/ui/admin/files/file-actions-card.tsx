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
import { HeldImage } from './held-image.tsx'
import { VerdictButtons } from './verdict-buttons.tsx'

/** Buttons that accept or reject a held file, download a file, and delete one that is not held. */
export function FileActionsCard({ file }: { file: BackendFile }) {
  const { t } = useMessages()
  const router = useRouter()
  const { id, state } = file
  const download = useMutation({
    mutationFn: () => admin.files.url(id, { download: true }),
    onSuccess: ({ url }) => location.assign(url),
  })
  const isHeld = state === 'HELD'
  return (
    <Card title={t(isHeld ? 'admin.files.decision' : 'admin.files.actions')}>
      <div className="space-y-4 px-4 py-4 text-sm sm:px-5">
        {isHeld && <HeldText file={file} />}
        {/* Three buttons need two rows on phones. */}
        <div className="flex flex-wrap gap-2 max-sm:*:grow">
          {isHeld && <VerdictButtons file={file} />}
          {(isHeld || state === 'READY') && (
            <Button busy={download.isPending} onClick={() => download.mutate()}>
              {t('files.download')}
            </Button>
          )}
          {!isHeld && <DeleteFileButton file={file} onDeleted={() => router.push('/admin/files')} />}
        </div>
        <ErrorNotice error={download.error} />
      </div>
    </Card>
  )
}

/** Says what happens without a decision, who can open the file, and how to see it. */
function HeldText({ file }: { file: BackendFile }) {
  const { t } = useMessages()
  const { expiresAt, timeoutVerdict, mimeType } = file
  const isImage = mimeType.startsWith('image/')
  return (
    <>
      <div className="max-w-2xl space-y-1">
        {expiresAt && timeoutVerdict && (
          <p>
            {t.rich(timeoutVerdict === 'accept' ? 'admin.files.acceptedAt' : 'admin.files.rejectedAt', {
              time: expiresAt,
              when: () => <LocalTime at={expiresAt} />,
            })}
          </p>
        )}
        <p className="text-ink-soft">
          {t('admin.files.heldText')} {t(isImage ? 'admin.files.imageHidden' : 'admin.files.downloadOnly')}
        </p>
      </div>
      {isImage && <HeldImage file={file} />}
    </>
  )
}
