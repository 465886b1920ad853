import clsx from 'clsx'
import { useRef } from 'react'
import { flushSync } from 'react-dom'
import { ChoiceSelect } from '../../components/choice-select.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { FILE_SORTS, type FileKind, type FileSort, QUERY_MAX_CHARS } from './file-view.ts'
import { LayoutSwitch } from './layout-switch.tsx'
import { SORT_KEYS, useKindOptions } from './list-options.ts'
import { PhoneTools } from './phone-tools.tsx'
import type { useFileLayout } from './use-file-layout.ts'
import type { useFileView } from './use-file-view.ts'
import { useSearchText } from './use-search-text.ts'

const ANY_KIND = 'all'

type FileFiltersProps = {
  view: ReturnType<typeof useFileView>
  layout: ReturnType<typeof useFileLayout>
  /** True if phones show the search field. */
  isSearching: boolean
  onSearching(isSearching: boolean): void
}

/** Controls for the list's search, type and order. Phones show two buttons, of which one opens the search field. */
export function FileFilters({ view: pair, layout: layoutPair, isSearching, onSearching }: FileFiltersProps) {
  const [view, change] = pair
  const [layout, setLayout] = layoutPair
  const { t } = useMessages()
  const search = useSearchText(view.query, change)
  const kinds = useKindOptions()
  const input = useRef<HTMLInputElement>(null)

  function toggleSearch() {
    if (isSearching) search.setText('')
    flushSync(() => onSearching(!isSearching))
    if (!isSearching) input.current?.focus()
  }

  return (
    <search
      className={clsx(
        'flex items-center sm:grow sm:flex-wrap sm:justify-end sm:gap-2 lg:grow-0',
        isSearching && 'max-sm:grow',
      )}
    >
      <SearchField
        ref={input}
        label={t('files.searchLabel')}
        value={search.text}
        maxLength={QUERY_MAX_CHARS}
        onChange={(event) => search.setText(event.target.value)}
        onBlur={search.finish}
        onKeyDown={(event) => event.key === 'Enter' && search.finish()}
        placeholder={t('files.search')}
        className={clsx('grow sm:w-56 lg:grow-0', !isSearching && 'max-sm:hidden')}
        // On phones, the button beside it clears the search, and a ring around the field would touch the card's edge.
        inputClassName="text-sm max-sm:-outline-offset-2! max-sm:[&::-webkit-search-cancel-button]:hidden"
      />
      <ChoiceSelect<FileKind | typeof ANY_KIND>
        compact
        className="max-sm:hidden"
        label={t('files.kindLabel')}
        value={view.kind ?? ANY_KIND}
        options={kinds.map(({ value, label }) => ({ value: value ?? ANY_KIND, label }))}
        onChange={(kind) => change({ kind: kind === ANY_KIND ? null : kind })}
      />
      {/* The heads of the wide list sort, too. */}
      <ChoiceSelect<FileSort>
        compact
        className={clsx('max-sm:hidden', layout === 'list' && 'lg:hidden')}
        label={t('files.sortLabel')}
        value={view.sort}
        options={FILE_SORTS.map((sort) => ({ value: sort, label: t(SORT_KEYS[sort]) }))}
        onChange={(sort) => change({ sort })}
      />
      <LayoutSwitch layout={layout} onChange={setLayout} />
      <PhoneTools view={pair} layout={layoutPair} isSearching={isSearching} onSearch={toggleSearch} />
    </search>
  )
}
