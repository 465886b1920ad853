'use client'

import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { platformName } from '../../components/platform-name.ts'
import { errorText } from '../../context/error-text.ts'
import { useClients } from '../../context/use-clients.ts'
import { useWords } from '../../i18n/messages-provider.tsx'

/** Why devices failed, by reason; fetched when it is unfolded. */
export function FailureReasons({ messageId, failed }: { messageId: string; failed: number }) {
  const { client } = useClients()
  const { t, format } = useWords()
  const [open, setOpen] = useState(false)
  const reasons = useQuery({
    // Counted again when more have failed.
    queryKey: ['failures', messageId, failed],
    queryFn: ({ signal }) => client.messages.failures.query({ messageId }, { signal }),
    enabled: open,
  })
  const items = reasons.data?.items ?? []
  return (
    <details
      className="group mt-2 rounded-lg border border-line"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 rounded-lg px-3 text-sm font-medium">
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 transition-transform group-open:rotate-90 motion-reduce:transition-none"
        />
        {t('sent.failures', { count: failed })}
      </summary>
      <div className="border-t border-line px-3 py-2 text-sm">
        {reasons.isPending && <p className="text-ink-soft">{t('common.loading')}</p>}
        {reasons.isError && (
          <Notice
            tone="error"
            action={<Button onClick={() => reasons.refetch()}>{t('common.tryAgain')}</Button>}
          >
            {errorText(t, reasons.error)}
          </Notice>
        )}
        {reasons.data && items.length === 0 && <p className="text-ink-soft">{t('sent.failuresGone')}</p>}
        {items.length > 0 && (
          <ul aria-label={t('sent.failures', { count: failed })} className="space-y-1">
            {items.map(({ platform, reason, count }) => (
              <li key={`${platform} ${reason}`} className="flex items-baseline gap-3">
                <span className="min-w-8 text-right font-medium tabular-nums">{format.number(count)}</span>
                <span className="min-w-0 flex-1">
                  {platformName(platform)} · <code className="text-xs">{reason}</code>
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </details>
  )
}
