import { useMutation } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { type AuditFilter, readFilter } from './audit-filter.ts'

/** Downloads the filtered entries as CSV. */
export function ExportButton({ filter }: { filter: AuditFilter }) {
  const { t } = useMessages()
  const download = useMutation({
    mutationFn: async () => {
      const link = document.createElement('a')
      link.href = admin.audit.exportUrl(await readFilter(filter))
      // Without this attribute, the browser would ask to leave the page during uploads.
      link.download = 'audit.csv'
      link.click()
    },
  })
  return (
    <div>
      <Button busy={download.isPending} onClick={() => download.mutate()}>
        {t('admin.audit.export')}
      </Button>
      <ErrorNotice error={download.error} expected={{ NOT_FOUND: 'admin.pushTokens.unknownUser' }} />
    </div>
  )
}
