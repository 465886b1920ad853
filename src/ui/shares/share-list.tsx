import { ErrorNotice } from '../components/error-notice.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import type { NewShare } from './create-share-form.tsx'
import { ShareRow } from './share-row.tsx'
import { useShares } from './use-shares.ts'

type ShareListProps = {
  fileId: string
  newShare: NewShare | undefined
  /** ID of the link that was copied last. */
  copiedId: string | undefined
  onCopied(id: string): void
}

/** Links to a file. The new one is marked, and its copy button takes the focus. */
export function ShareList({ fileId, newShare, copiedId, onCopied }: ShareListProps) {
  const { t } = useMessages()
  const { data, error, refetch } = useShares(fileId)
  return (
    <section
      // Takes the focus when the last link is revoked.
      tabIndex={-1}
      aria-label={t('shares.list')}
      className="mt-4 outline-none"
    >
      <ErrorNotice error={error} onRetry={refetch} />
      {!data && !error && <p className="text-sm text-ink-soft">{t('common.loading')}</p>}
      {data?.items.length === 0 && <p className="text-sm text-ink-soft">{t('shares.empty')}</p>}
      {data && data.items.length > 0 && (
        <ul className="divide-y divide-line border-y border-line">
          {data.items.map((share, i) => (
            <ShareRow
              key={share.id}
              share={share}
              number={i + 1}
              created={share.id === newShare?.id ? newShare : undefined}
              copied={share.id === copiedId}
              onCopied={() => onCopied(share.id)}
            />
          ))}
        </ul>
      )}
    </section>
  )
}
