'use client'

import { useQuery } from '@tanstack/react-query'
import { admin } from '../admin-client.ts'
import { AdminItemPage } from '../admin-item-page.tsx'
import { ADMIN_KEYS } from '../keys.ts'
import { FileActionsCard } from './file-actions-card.tsx'
import { FileDetailsCard } from './file-details-card.tsx'
import { FileStateBadge } from './file-state-badge.tsx'

/** A file of any user and what an administrator can do with it. */
export function FilePage({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ADMIN_KEYS.file(id),
    queryFn: ({ signal }) => admin.files.find(id, signal),
    refetchOnWindowFocus: false,
  })
  return (
    <AdminItemPage
      list="/admin/files"
      texts={{
        list: 'admin.files.back',
        one: 'admin.files.one',
        notFound: 'admin.files.notFound',
        notFoundText: 'admin.files.notFoundText',
      }}
      query={query}
      heading={({ filename }) => filename}
      badges={({ state }) => <FileStateBadge state={state} />}
    >
      {(file) => (
        <>
          <FileActionsCard file={file} />
          <FileDetailsCard file={file} />
        </>
      )}
    </AdminItemPage>
  )
}
