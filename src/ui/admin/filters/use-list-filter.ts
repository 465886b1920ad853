import { useSearchParams } from 'next/navigation'
import { useMemo, useRef } from 'react'
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
  /** The filter that the fields show, as JSON. A valid change of a field is part of it from `apply` on. */
  inFields: { current: string }
  /** Shows the filter of the address in the fields. */
  show(): void
  /** Shows everything, and focuses the first field: the button that clears the filter disappears. */
  clear(): void
}

export type FilterField = HTMLInputElement | HTMLSelectElement

/**
 * Filter of a list, which the address keeps: a reload and a link show the same rows, and the back button undoes the
 * last change. Next follows `history` without asking the server. `fields` must be the same object in each render.
 */
export function useListFilter<Name extends string>(fields: Fields<Name>): ListFilter<Name> {
  const search = useSearchParams().toString()
  const filter = useMemo(() => parseFilter(new URLSearchParams(search), fields), [search, fields])
  const errors = useFieldErrors()
  const inFields = useRef(JSON.stringify(filter))
  const current = () => parseFilter(new URLSearchParams(location.search), fields)
  function apply(next: Filter<Name>, replaces = false): boolean {
    const params = formatFilter(location.search, fields, next)
    if (params === formatFilter(location.search, fields, current())) return false
    const address = `${location.pathname}${params}`
    if (replaces) history.replaceState(null, '', address)
    else history.pushState(null, '', address)
    return true
  }
  function show(): void {
    const next = current()
    inFields.current = JSON.stringify(next)
    for (const field of errors.form.ref.current?.elements ?? []) {
      const { name } = field as FilterField
      if (!name) continue
      const value = next[name as Name]
      if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = value !== undefined
      else (field as FilterField).value = value ?? ''
    }
    // The fields are valid again.
    errors.check()
  }
  return {
    filter,
    isActive: Object.keys(filter).length > 0,
    errors,
    current,
    apply,
    inFields,
    show,
    clear() {
      errors.form.ref.current?.querySelector<HTMLElement>('input, select')?.focus()
      apply({})
      // At once: Next reports the filter late, perhaps after further typing.
      show()
    },
  }
}
