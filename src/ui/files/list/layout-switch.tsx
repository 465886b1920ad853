import { LayoutGrid, List } from 'lucide-react'
import { IconButton } from '../../components/icon-button.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { FileLayout } from './file-layout.ts'

/** Switches between the list and the grid. */
export function LayoutSwitch({
  layout,
  onChange,
}: {
  layout: FileLayout
  onChange(layout: FileLayout): void
}) {
  const { t } = useMessages()
  const isGrid = layout === 'grid'
  const Icon = isGrid ? List : LayoutGrid
  return (
    <IconButton
      label={t(isGrid ? 'files.asList' : 'files.asGrid')}
      onClick={() => onChange(isGrid ? 'list' : 'grid')}
      className="size-11 border border-line-strong max-sm:hidden"
    >
      <Icon aria-hidden="true" className="size-4" />
    </IconButton>
  )
}
