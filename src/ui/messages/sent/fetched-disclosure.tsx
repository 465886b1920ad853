import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Disclosure } from '../../components/disclosure.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'

type FetchedDisclosureProps<Data> = {
  title: string
  queryKey: readonly unknown[]
  fetchData(signal: AbortSignal): Promise<Data>
  children(data: Data): ReactNode
}

/** A collapsed section whose data is fetched when the user opens it. */
export function FetchedDisclosure<Data>({
  title,
  queryKey,
  fetchData,
  children,
}: FetchedDisclosureProps<Data>) {
  const { t } = useMessages()
  const [open, setOpen] = useState(false)
  const { data, isPending, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => fetchData(signal),
    enabled: open,
    placeholderData: keepPreviousData,
  })
  return (
    <Disclosure title={title} onToggle={setOpen}>
      <div className="text-sm">
        {open && isPending && <p className="text-ink-soft">{t('common.loading')}</p>}
        <ErrorNotice error={error} onRetry={refetch} />
        {data !== undefined && children(data)}
      </div>
    </Disclosure>
  )
}
