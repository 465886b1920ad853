'use client'

import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { errorText } from '../context/error-text.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { ShareRow } from './share-row.tsx'
import { useShares } from './use-shares.ts'

/** `newShare`: the one just made, which is to be copied next. */
export function ShareList({ fileId, newShare }: { fileId: string; newShare: string | undefined }) {
  const { t } = useWords()
  const { data, error, refetch } = useShares(fileId)
  return (
    <section
      // Takes the focus when the last link is revoked.
      tabIndex={-1}
      aria-label={t('shares.list')}
      className="mt-5 border-t border-line pt-4 outline-none"
    >
      {error && (
        <Notice tone="error" action={<Button onClick={() => refetch()}>{t('common.tryAgain')}</Button>}>
          {errorText(t, error)}
        </Notice>
      )}
      {!data && !error && <p className="text-sm text-ink-soft">{t('common.loading')}</p>}
      {data?.items.length === 0 && <p className="text-sm text-ink-soft">{t('shares.empty')}</p>}
      {data && data.items.length > 0 && (
        <ul className="space-y-4">
          {data.items.map((share, i) => (
            <ShareRow key={share.id} share={share} number={i + 1} isNew={share.id === newShare} />
          ))}
        </ul>
      )}
    </section>
  )
}
