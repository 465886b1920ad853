import clsx from 'clsx'
import { SlidersHorizontal } from 'lucide-react'
import { type FocusEvent, type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { buttonClass } from '../../components/button-class.ts'
import { SearchField } from '../../components/search-field.tsx'
import { FieldErrorsContext } from '../../components/text-field.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { FilterContext, optionsWith } from './filter-fields.tsx'
import type { FilterField, ListFilter } from './use-list-filter.ts'

type ListFiltersProps<Name extends string> = {
  /** Accessible name of the search. */
  label: string
  filters: ListFilter<Name>
  /** The most useful text. `label` is also its placeholder. */
  search?: { name: Name; label: string; maxLength?: number }
  /** The most useful choice. `any` is its first option. */
  choice: { name: Name; label: string; any: string; options: { value: string; label: string }[] }
  /** Rare fields, behind the button "Filters", which counts the active ones. */
  more?: {
    names: readonly Name[]
    /** Columns on wider screens, as classes. */
    columns: string
    fields: ReactNode
  }
  /** Number of results. */
  status: ReactNode
  /** Other controls, such as the order on narrow screens. */
  children?: ReactNode
}

/**
 * The filters above a list. A choice or checkbox takes effect at once, a text or date on Enter or when its field loses
 * the focus. Texts and dates do not while they are typed, because each call of the admin API adds an entry to the audit
 * log. Before scripts run, Enter loads the page with the filter.
 */
export function ListFilters<Name extends string>(props: ListFiltersProps<Name>) {
  const { label, filters, search, choice, more, status, children } = props
  const { filter, errors, isActive } = filters
  const { t } = useMessages()
  const panel = useId()
  const activeCount = more?.names.filter((name) => filter[name] !== undefined).length ?? 0
  const [isOpen, setOpen] = useState(activeCount > 0)
  /** The field that added an entry to the history. Until it loses the focus, its next changes replace this entry. */
  const changed = useRef<string>(undefined)
  function show(): void {
    changed.current = undefined
    filters.show()
  }
  const reported = useRef(filter)
  useEffect(() => {
    // After links. Texts that were typed before the page was ready, or before Next reported the filter, stay.
    if (reported.current === filter) return
    reported.current = filter
    if (filters.inFields.current !== JSON.stringify(filters.current())) show()
  })
  useEffect(() => {
    // Next does not report a filter that the back button removes at once.
    addEventListener('popstate', show)
    return () => removeEventListener('popstate', show)
  })

  /** Applies the valid fields after a change of one. Invalid fields are shown, and keep their value in the filter. */
  function apply(name: string): boolean {
    const form = errors.form.ref.current!
    const before = filters.current()
    const values = [...new FormData(form)].map(([field, value]) => [
      field,
      (form.elements.namedItem(field) as FilterField).validity.valid ? String(value) : before[field as Name],
    ])
    if (filters.apply(Object.fromEntries(values), changed.current === name)) changed.current = name
    filters.inFields.current = JSON.stringify(filters.current())
    if (errors.check()) return true
    setOpen(true)
    return false
  }
  function onSubmit(event: FormEvent) {
    event.preventDefault()
    if (!apply((document.activeElement as FilterField).name)) errors.focusFault()
    // The back button undoes each Enter alone.
    changed.current = undefined
  }
  function onChange({ target }: FormEvent) {
    const { type, name, value } = target as FilterField
    if (name && !(type === 'date' || (isText(type) && value !== ''))) apply(name)
  }
  function onBlur({ target }: FocusEvent) {
    const { type, name } = target as FilterField
    if (name && (type === 'date' || isText(type))) apply(name)
    changed.current = undefined
  }
  return (
    <>
      <search aria-label={label} className="block border-b border-line">
        <form
          {...errors.form}
          onSubmit={onSubmit}
          onChange={onChange}
          onBlur={onBlur}
          className="flex flex-wrap items-center gap-2 px-4 py-3 sm:px-5"
        >
          {search && (
            <SearchField
              name={search.name}
              label={search.label}
              placeholder={search.label}
              maxLength={search.maxLength}
              defaultValue={filter[search.name]}
              enterKeyHint="search"
              autoComplete="off"
              spellCheck={false}
              className="flex-1 basis-full sm:basis-52 sm:max-w-sm"
            />
          )}
          <select
            name={choice.name}
            aria-label={choice.label}
            defaultValue={filter[choice.name] ?? ''}
            // On the narrowest phones, a choice beside another control would be cut.
            className="select min-h-11 min-w-0 rounded-lg border border-line-strong bg-surface pr-9 pl-3 text-sm text-ink max-[22.5rem]:basis-full max-sm:flex-1 sm:max-w-64"
          >
            {[{ value: '', label: choice.any }, ...optionsWith(choice.options, filter[choice.name])].map(
              ({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ),
            )}
          </select>
          {more && (
            <Button
              className="min-h-11 noscript:hidden"
              aria-expanded={isOpen}
              aria-controls={panel}
              onClick={() => setOpen(!isOpen)}
            >
              <SlidersHorizontal aria-hidden="true" className="size-4" />
              {activeCount > 0 ? t('admin.activeFilters', { count: activeCount }) : t('admin.filters')}
            </Button>
          )}
          {children}
          {/* Enter submits the form only if it has this button. */}
          <div className="hidden noscript:block">
            <button type="submit" className={buttonClass('secondary', 'min-h-11')}>
              {t('admin.search')}
            </button>
          </div>
          {/* As high as the button, so that the list does not move when the button appears. */}
          <div className="flex min-h-10 basis-full items-center justify-between gap-x-3 pointer-coarse:min-h-11 max-xl:-my-1.5 xl:ml-auto xl:basis-auto xl:justify-end">
            {status}
            {isActive && (
              // `NoMatches` has the same button.
              <Button
                variant="ghost"
                className="-mr-3 px-3! [search:has(~*_[data-clears])_&]:hidden"
                onClick={filters.clear}
              >
                {t('admin.clearFilters')}
              </Button>
            )}
          </div>
          {more && (
            <FieldErrorsContext value={errors.errors}>
              <FilterContext value={filter}>
                <div
                  id={panel}
                  className={clsx(
                    'grid basis-full grid-cols-2 items-start gap-3 pt-1',
                    more.columns,
                    !isOpen && 'hidden noscript:grid',
                  )}
                >
                  {more.fields}
                </div>
              </FilterContext>
            </FieldErrorsContext>
          )}
        </form>
      </search>
      {/* Replaces a list that is still loading, which is a paragraph. */}
      <p className="hidden px-4 py-10 text-center text-sm text-ink-soft noscript:has-[+p]:block noscript:[&+p]:hidden">
        {t('admin.needsScripts')}
      </p>
    </>
  )
}

const isText = (type: string) => type === 'search' || type === 'text'
