import { useSearchParams } from 'next/navigation'
import { useMemo } from 'react'
import { useFieldErrors } from '../../components/use-field-errors.ts'
import { type Fields, type Filter, formatFilter, parseFilter } from './parse-filter.ts'

export type ListFilter<Name extends string = string> = {
  filter: Filter<Name>
  isActive: boolean
  errors: ReturnType<typeof useFieldErrors>
  /** Returns the filter of the address, which `filter` follows late. */
  current(): Filter<Name>
  /** Returns false if it changes nothing. `replaces`: the back button does not undo this change alone. */
  apply(filter: Filter<Name>, replaces?: boolean): boolean
  /** Shows everything, and focuses the first field: the button that clears the filter disappears. */
  clear(): void
}

/**
 * Filter of a list, which the address keeps: a reload and a link show the same rows, and the back button undoes the
 * last change. Next follows `history` without asking the server. `fields` must be the same object in each render.
 */
export function useListFilter<Name extends string>(fields: Fields<Name>): ListFilter<Name> {
  const search = useSearchParams().toString()
  const filter = useMemo(() => parseFilter(new URLSearchParams(search), fields), [search, fields])
  const errors = useFieldErrors()
  const current = () => parseFilter(new URLSearchParams(location.search), fields)
  function apply(next: Filter<Name>, replaces = false): boolean {
    const params = formatFilter(location.search, fields, next)
    if (params === formatFilter(location.search, fields, current())) return false
    const address = `${location.pathname}${params}`
    if (replaces) history.replaceState(null, '', address)
    else history.pushState(null, '', address)
    return true
  }
  return {
    filter,
    isActive: Object.keys(filter).length > 0,
    errors,
    current,
    apply,
    clear() {
      errors.form.ref.current?.querySelector<HTMLElement>('input, select')?.focus()
      apply({})
    },
  }
}
