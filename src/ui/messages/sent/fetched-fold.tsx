'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Fold } from '../../components/fold.tsx'
import { Notice } from '../../components/notice.tsx'
import { errorText } from '../../context/error-text.ts'
import { useWords } from '../../i18n/messages-provider.tsx'

type FetchedFoldProps<Data> = {
  title: string
  queryKey: readonly unknown[]
  fetchData(signal: AbortSignal): Promise<Data>
  children(data: Data): ReactNode
}

/** A part of a message that is fetched when it is unfolded. */
export function FetchedFold<Data>({ title, queryKey, fetchData, children }: FetchedFoldProps<Data>) {
  const { t } = useWords()
  const [open, setOpen] = useState(false)
  const { data, isPending, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => fetchData(signal),
    enabled: open,
    placeholderData: keepPreviousData,
  })
  return (
    <Fold title={title} onToggle={setOpen}>
      <div className="text-sm">
        {isPending && <p className="text-ink-soft">{t('common.loading')}</p>}
        {error && (
          <Notice tone="error" action={<Button onClick={() => refetch()}>{t('common.tryAgain')}</Button>}>
            {errorText(t, error)}
          </Notice>
        )}
        {data !== undefined && children(data)}
      </div>
    </Fold>
  )
}
