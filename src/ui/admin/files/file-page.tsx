'use client'

import { useQuery } from '@tanstack/react-query'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { admin } from '../admin-client.ts'
import { AdminHeading } from '../admin-heading.tsx'
import { ADMIN_KEYS } from '../keys.ts'
import { FileActionsCard } from './file-actions-card.tsx'
import { FileDetailsCard } from './file-details-card.tsx'
import { FileStateBadge } from './file-state-badge.tsx'

/** A file of any user and what an administrator can do with it. */
export function FilePage({ id }: { id: string }) {
  const { t } = useMessages()
  const { data: file, error } = useQuery({
    queryKey: ADMIN_KEYS.file(id),
    queryFn: ({ signal }) => admin.files.find(id, signal),
    refetchOnWindowFocus: false,
  })
  return (
    <div className="space-y-6">
      <AppLink href="/admin/files" className="relative inline-block py-2 text-sm text-accent underline">
        {t('admin.files.back')}
      </AppLink>
      {!file && <AdminHeading>{t('admin.files.one')}</AdminHeading>}
      <ErrorNotice error={error} expected={{ NOT_FOUND: 'admin.files.notFound' }} />
      {!file && !error && <Loading />}
      {file && (
        <>
          <div className="flex flex-wrap items-center gap-3">
            <AdminHeading>
              <bdi className="wrap-anywhere">{file.filename}</bdi>
            </AdminHeading>
            <FileStateBadge state={file.state} />
          </div>
          <FileActionsCard file={file} />
          <FileDetailsCard file={file} />
        </>
      )}
    </div>
  )
}
