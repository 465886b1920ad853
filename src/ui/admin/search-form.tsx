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
  /** The current search. */
  filter: Record<string, string | undefined>
  /** Fields that are always visible, side by side. They show `filter` as their default values. */
  children: ReactNode
  /** Other fields, behind the button "Filters", which counts those of `names` in `filter`. */
  more?: {
    names: string[]
    /** Columns on wider screens, as classes. */
    columns: string
    fields: ReactNode
  }
  /** Receives the trimmed values by field name, without the empty ones. */
  onSearch(values: Record<string, string>): void
}

/** Searches only on submit, because each call of the admin API adds an entry to the audit log. */
export function SearchForm({ label, filter, children, more, onSearch }: SearchFormProps) {
  const { t } = useMessages()
  const errors = useFieldErrors()
  const { ref: form } = errors.form
  const toggle = useRef<HTMLButtonElement>(null)
  const hiddenCount = more?.names.filter((name) => filter[name] !== undefined).length ?? 0
  const [isOpen, setOpen] = useState(hiddenCount > 0)
  const [clearings, setClearings] = useState(0)
  const isActive = Object.values(filter).some((value) => value !== undefined)
  useEffect(() => {
    // The Clear button is gone.
    if (clearings > 0) form.current?.querySelector<HTMLElement>('input, select')?.focus()
  }, [clearings, form])
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!errors.check()) {
      // The invalid field can be one of the hidden ones.
      if (more) setOpen(true)
      errors.focusFault()
      return
    }
    const fields = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()])
    onSearch(Object.fromEntries(fields.filter(([, value]) => value !== '')))
    if (!isOpen || matchMedia('(min-width: 40rem)').matches) return
    // On phones, the fields would hide the result.
    setOpen(false)
    toggle.current?.focus()
  }
  function clear() {
    onSearch({})
    setOpen(false)
    setClearings(clearings + 1)
  }
  const hidden = isOpen ? undefined : 'hidden noscript:grid'
  return (
    <search aria-label={label} className="block border-b border-line">
      <form
        key={clearings}
        {...errors.form}
        onSubmit={submit}
        method="post"
        className="flex flex-wrap items-end gap-3 px-4 py-3 sm:px-5"
      >
        <FieldErrorsContext value={errors.errors}>
          {/* Side by side on the narrowest phones, the fields would cut off their placeholders. */}
          <div className="flex min-w-0 flex-1 basis-full items-end gap-3 *:flex-2 *:first:flex-3 max-[22.5rem]:flex-col max-[22.5rem]:items-stretch sm:max-w-2xl sm:basis-80">
            {children}
          </div>
          {more && (
            <>
              <Button
                ref={toggle}
                className="min-h-11 noscript:hidden"
                aria-expanded={isOpen}
                onClick={() => setOpen(!isOpen)}
              >
                <SlidersHorizontal aria-hidden="true" className="size-4" />
                {hiddenCount > 0 ? t('admin.activeFilters', { count: hiddenCount }) : t('admin.filters')}
              </Button>
              {/* A new line. */}
              <div className={clsx('-mt-3 basis-full', hidden)} />
              <div
                className={clsx(
                  'grid min-w-0 flex-1 basis-full grid-cols-2 items-end gap-3 sm:basis-0',
                  more.columns,
                  hidden,
                )}
              >
                {more.fields}
              </div>
            </>
          )}
        </FieldErrorsContext>
        <Button type="submit" className="min-h-11">
          {t('admin.search')}
        </Button>
        {isActive && (
          <Button variant="ghost" className="min-h-11" onClick={clear}>
            {t('admin.clearFilters')}
          </Button>
        )}
      </form>
    </search>
  )
}
