import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'

type FetchedSectionProps<Data> = {
  title: string
  queryKey: readonly unknown[]
  fetchData(signal: AbortSignal): Promise<Data>
  children(data: Data): ReactNode
}

/** A section whose data is fetched when it is shown. */
export function FetchedSection<Data>({ title, queryKey, fetchData, children }: FetchedSectionProps<Data>) {
  const { t } = useMessages()
  const { data, isPending, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => fetchData(signal),
    placeholderData: keepPreviousData,
  })
  return (
    <section aria-label={title} className="text-sm">
      {isPending && <p className="text-ink-soft">{t('common.loading')}</p>}
      <ErrorNotice error={error} onRetry={refetch} />
      {data !== undefined && children(data)}
    </section>
  )
}
