import { Search } from 'lucide-react'
import { ChoiceSelect } from '../../components/choice-select.tsx'
import { inputClass } from '../../components/text-field.tsx'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { FILE_KINDS, FILE_SORTS, type FileKind, type FileSort, QUERY_MAX_CHARS } from './file-view.ts'
import { LayoutSwitch } from './layout-switch.tsx'
import type { useFileLayout } from './use-file-layout.ts'
import type { useFileView } from './use-file-view.ts'
import { useSearchText } from './use-search-text.ts'

export const KIND_KEYS: Record<FileKind, PlainMessageKey> = {
  image: 'files.images',
  document: 'files.documents',
  video: 'files.videos',
}
const SORT_KEYS: Record<FileSort, PlainMessageKey> = {
  newest: 'files.newest',
  oldest: 'files.oldest',
  name: 'files.byName',
  largest: 'files.largest',
}
const ANY_KIND = 'all'

type FileFiltersProps = {
  view: ReturnType<typeof useFileView>
  layout: ReturnType<typeof useFileLayout>
}

/** Controls for the list's search, type and order. */
export function FileFilters({ view: [view, change], layout: [layout, setLayout] }: FileFiltersProps) {
  const { t } = useMessages()
  const search = useSearchText(view.query, change)
  return (
    <search className="relative grid w-full grid-cols-2 items-center max-[22.5rem]:grid-cols-1 gap-x-2 gap-y-2 sm:flex sm:w-auto sm:grow sm:flex-wrap sm:justify-end lg:grow-0">
      <label className="relative col-span-full mr-13 block sm:mr-0 sm:w-56 sm:grow lg:grow-0">
        <span className="sr-only">{t('files.searchLabel')}</span>
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute top-3.5 left-3 size-4 text-ink-soft"
        />
        <input
          type="search"
          value={search.text}
          maxLength={QUERY_MAX_CHARS}
          onChange={(event) => search.setText(event.target.value)}
          onBlur={search.finish}
          onKeyDown={(event) => event.key === 'Enter' && search.finish()}
          placeholder={t('files.search')}
          className={`${inputClass} pl-9 text-sm`}
        />
      </label>
      <ChoiceSelect<FileKind | typeof ANY_KIND>
        compact
        label={t('files.kindLabel')}
        value={view.kind ?? ANY_KIND}
        options={[
          { value: ANY_KIND, label: t('files.allKinds') },
          ...FILE_KINDS.map((kind) => ({ value: kind, label: t(KIND_KEYS[kind]) })),
        ]}
        onChange={(kind) => change({ kind: kind === ANY_KIND ? null : kind })}
      />
      {/* The heads of the wide list sort, too. */}
      <ChoiceSelect<FileSort>
        compact
        className={layout === 'list' ? 'lg:hidden' : undefined}
        label={t('files.sortLabel')}
        value={view.sort}
        options={FILE_SORTS.map((sort) => ({ value: sort, label: t(SORT_KEYS[sort]) }))}
        onChange={(sort) => change({ sort })}
      />
      <LayoutSwitch layout={layout} onChange={setLayout} />
    </search>
  )
}
