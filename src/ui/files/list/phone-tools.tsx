import { LayoutGrid, List, Search, SlidersHorizontal, X } from 'lucide-react'
import { IconButton } from '../../components/icon-button.tsx'
import { Menu, MenuChoices, MenuItem } from '../../components/menu.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { FILE_SORTS } from './file-view.ts'
import { SORT_KEYS, useKindOptions } from './list-options.ts'
import type { useFileLayout } from './use-file-layout.ts'
import type { useFileView } from './use-file-view.ts'

type PhoneToolsProps = {
  view: ReturnType<typeof useFileView>
  layout: ReturnType<typeof useFileLayout>
  isSearching: boolean
  /** Opens the search field, or closes it and clears the search. */
  onSearch(): void
}

/** The list's tools on phones: a button for the search field, and one menu for layout, type and order. */
export function PhoneTools({
  view: [view, change],
  layout: [layout, setLayout],
  isSearching,
  onSearch,
}: PhoneToolsProps) {
  const { t } = useMessages()
  const kinds = useKindOptions()
  const isGrid = layout === 'grid'
  const SearchIcon = isSearching ? X : Search
  return (
    <div className="flex sm:hidden">
      <IconButton
        label={t(isSearching ? 'files.closeSearch' : 'files.searchLabel')}
        className="size-11"
        onClick={onSearch}
      >
        <SearchIcon aria-hidden="true" className="size-4" />
      </IconButton>
      <Menu label={t('files.viewOptions')} sheetTitle={t('files.viewOptions')} icon={SlidersHorizontal} large>
        <MenuItem icon={isGrid ? List : LayoutGrid} onClick={() => setLayout(isGrid ? 'list' : 'grid')}>
          {t(isGrid ? 'files.asList' : 'files.asGrid')}
        </MenuItem>
        <MenuChoices
          label={t('files.sortLabel')}
          value={view.sort}
          options={FILE_SORTS.map((sort) => ({ value: sort, label: t(SORT_KEYS[sort]) }))}
          onChange={(sort) => change({ sort })}
        />
        <MenuChoices
          label={t('files.kindLabel')}
          value={view.kind}
          options={kinds}
          onChange={(kind) => change({ kind })}
        />
      </Menu>
    </div>
  )
}
