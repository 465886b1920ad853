import type { BackendFile } from '@pigeonhole/client/admin'
import { Badge } from '../../components/badge.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { FILE_STATES } from './file-state.ts'

export function FileStateBadge({ state }: Pick<BackendFile, 'state'>) {
  const { t } = useMessages()
  const { label, tone } = FILE_STATES[state]
  return <Badge tone={tone}>{t(label)}</Badge>
}
