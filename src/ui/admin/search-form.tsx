import clsx from 'clsx'
import { SlidersHorizontal } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { FieldErrorsContext } from '../components/text-field.tsx'
import { useFieldErrors } from '../components/use-field-errors.ts'
import { useMessages } from '../i18n/messages-provider.tsx'

type SearchFormProps = {
  /** Accessible name of the search. */
  label: string
  /** The current search. If given, phones show the fields only after a tap on "Filters". */
  filter?: Record<string, string | undefined>
  /** Columns of the fields on wider screens, as classes. */
  columns: string
  /** The fields. They show `filter` as their default values. */
  children: ReactNode
  /** Receives the trimmed values by field name, without the empty ones. */
  onSearch(values: Record<string, string>): void
}

/** Searches only on submit, because each call of the admin API adds an entry to the audit log. */
export function SearchForm({ label, filter, columns, children, onSearch }: SearchFormProps) {
  const { t } = useMessages()
  const errors = useFieldErrors()
  const { ref: form } = errors.form
  const toggle = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [clearings, setClearings] = useState(0)
  const count = Object.values(filter ?? {}).filter((value) => value !== undefined).length
  useEffect(() => {
    if (clearings === 0) return
    // The button is gone. A hidden element, such as the toggle on wide screens, does not take the focus.
    form.current?.querySelector<HTMLElement>('input, select')?.focus()
    toggle.current?.focus()
  }, [clearings, form])
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!errors.check()) {
      errors.focusFault()
      return
    }
    const fields = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()])
    onSearch(Object.fromEntries(fields.filter(([, value]) => value !== '')))
    setOpen(false)
    // On phones, the fields are hidden now.
    toggle.current?.focus()
  }
  function clear() {
    onSearch({})
    setOpen(false)
    setClearings(clearings + 1)
  }
  const clearButton = (className: string) =>
    count > 0 && (
      <Button variant="ghost" className={className} onClick={clear}>
        {t('admin.clearFilters')}
      </Button>
    )
  return (
    <search aria-label={label} className="block border-b border-line">
      {filter && (
        <div className="flex gap-2 px-4 py-2 sm:hidden noscript:hidden">
          <Button ref={toggle} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <SlidersHorizontal aria-hidden="true" className="size-4" />
            {count > 0 ? t('admin.activeFilters', { count }) : t('admin.filters')}
          </Button>
          {clearButton('')}
        </div>
      )}
      <form
        key={clearings}
        {...errors.form}
        onSubmit={submit}
        method="post"
        className={clsx(
          'items-end gap-3 px-4 py-3 max-sm:grid-cols-2 sm:flex sm:px-5',
          !filter || isOpen ? 'max-sm:grid' : 'max-sm:hidden max-sm:noscript:grid',
          filter && 'max-sm:pt-1',
        )}
      >
        <FieldErrorsContext value={errors.errors}>
          <div className={clsx('contents min-w-0 flex-1 items-end gap-3 sm:grid', columns)}>{children}</div>
        </FieldErrorsContext>
        <Button type="submit" className="min-h-11 justify-self-start">
          {t('admin.search')}
        </Button>
        {clearButton('min-h-11 max-sm:hidden')}
      </form>
    </search>
  )
}
