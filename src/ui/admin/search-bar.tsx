import { type FormEvent, type ReactNode, useRef } from 'react'
import { Button } from '../components/button.tsx'
import { SearchField } from '../components/search-field.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'

type SearchBarProps = {
  /** Accessible name of the search. */
  label: string
  /** Accessible name and placeholder of the field. */
  field: string
  maxLength: number
  /** The current search. */
  query: string | undefined
  /** Receives the trimmed text, or undefined for an empty field. */
  onSearch(query: string | undefined): void
  /** Other controls of the list. */
  children?: ReactNode
}

/** A search with one field, on one line. It searches on submit: each call adds an entry to the audit log. */
export function SearchBar({ label, field, maxLength, query, onSearch, children }: SearchBarProps) {
  const { t } = useMessages()
  const input = useRef<HTMLInputElement>(null)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    onSearch(String(new FormData(event.currentTarget).get('query')).trim() || undefined)
  }
  function clear() {
    input.current!.value = ''
    // The Clear button is about to disappear.
    input.current!.focus()
    onSearch(undefined)
  }
  return (
    <search aria-label={label}>
      <form onSubmit={submit} method="post" className="flex flex-wrap items-center gap-2 px-4 py-3 sm:px-5">
        <SearchField
          ref={input}
          name="query"
          label={field}
          placeholder={field}
          maxLength={maxLength}
          defaultValue={query}
          autoComplete="off"
          spellCheck={false}
          className="flex-1 basis-56 max-[22.5rem]:basis-full sm:max-w-md"
        />
        <Button type="submit" className="min-h-11 max-[22.5rem]:w-full">
          {t('admin.search')}
        </Button>
        {query !== undefined && (
          <Button variant="ghost" className="min-h-11" onClick={clear}>
            {t('admin.clearFilters')}
          </Button>
        )}
        {children}
      </form>
    </search>
  )
}
