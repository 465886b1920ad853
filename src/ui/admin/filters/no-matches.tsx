import { SearchX } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'

type NoMatchesProps = { title: string; onClear(): void }

/** Replaces a list without results. */
export function NoMatches({ title, onClear }: NoMatchesProps) {
  const { t } = useMessages()
  return (
    <EmptyState icon={SearchX} title={title}>
      <Button className="mt-3" data-clears onClick={onClear}>
        {t('admin.clearFilters')}
      </Button>
    </EmptyState>
  )
}
