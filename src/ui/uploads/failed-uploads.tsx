import type { UploadFailure, UploadHandle, UploadSnapshot } from '@pigeonhole/client/browser'
import { RotateCcw, TriangleAlert } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { useSession } from '../context/use-session.ts'
import type { Usage } from '../files/use-file-queries.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { failureGroupText } from './upload-error-text.ts'

export type Failed = { upload: UploadHandle; snapshot: UploadSnapshot; error: UploadFailure }

type FailedUploadsProps = {
  /** Failures with the same reason, as returned by `failureGroups`. */
  groups: readonly Failed[][]
  /** Those that can succeed when they are retried. */
  retryable: readonly UploadHandle[]
  /** Current usage of the account, if an upload needed more storage. */
  usage: Usage | undefined
}

/** Reasons why uploads failed, each with a button that retries those uploads. */
export function FailedUploads({ groups, retryable, usage }: FailedUploadsProps) {
  const { t, format } = useMessages()
  const { user } = useSession()
  if (groups.length === 0) return null
  return (
    <ul aria-label={t('uploads.failures')} className="divide-y divide-line border-b border-line">
      {groups.map((group) => {
        const reason = failureGroupText(group, user, t, format, usage)
        const retried = group.filter(({ upload }) => retryable.includes(upload))
        return (
          <li key={group[0]!.upload.id} className="flex items-center gap-3 bg-danger-soft px-4 py-2">
            <TriangleAlert aria-hidden="true" className="size-4 shrink-0 text-danger" />
            <p className="min-w-0 flex-1 text-sm">
              <strong className="font-medium">{t('uploads.failedCount', { count: group.length })}</strong>{' '}
              {reason}
            </p>
            {retried.length > 0 && (
              <Button
                className="bg-surface"
                aria-label={t('uploads.retryGroup', { count: retried.length, reason })}
                onClick={() => {
                  for (const { upload } of retried) upload.retry()
                }}
              >
                <RotateCcw aria-hidden="true" className="size-4" />
                {t('uploads.retryShort')}
              </Button>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Groups failed uploads by reason, without reasons of only one upload, because its row says why it failed. */
export function failureGroups(uploads: readonly UploadHandle[]): Failed[][] {
  const groups = new Map<string, Failed[]>()
  for (const upload of uploads) {
    const snapshot = upload.getSnapshot()
    const { state, error } = snapshot
    if (state !== 'failed' || !error) continue
    const key = `${error.code} ${error.reason ?? ''}`
    const group = groups.get(key) ?? []
    group.push({ upload, snapshot, error })
    groups.set(key, group)
  }
  return [...groups.values()].filter(({ length }) => length > 1)
}
