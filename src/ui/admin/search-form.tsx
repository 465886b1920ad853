import type { FormEvent, ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { FieldErrorsContext } from '../components/text-field.tsx'
import { useFieldErrors } from '../components/use-field-errors.ts'
import { useMessages } from '../i18n/messages-provider.tsx'

type SearchFormProps = {
  /** Accessible name of the search. */
  label: string
  children: ReactNode
  /** Receives the trimmed values by field name, without the empty ones. */
  onSearch(values: Record<string, string>): void
}

/** Searches only on submit, because each call of the admin API adds an entry to the audit log. */
export function SearchForm({ label, children, onSearch }: SearchFormProps) {
  const { t } = useMessages()
  const errors = useFieldErrors()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!errors.check()) {
      errors.focusFault()
      return
    }
    const fields = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()])
    onSearch(Object.fromEntries(fields.filter(([, value]) => value !== '')))
  }
  return (
    <search aria-label={label}>
      <form
        {...errors.form}
        onSubmit={submit}
        method="post"
        className="flex flex-wrap items-end gap-3 border-b border-line px-4 py-3 sm:px-5"
      >
        <FieldErrorsContext value={errors.errors}>{children}</FieldErrorsContext>
        <Button type="submit" className="min-h-11">
          {t('admin.search')}
        </Button>
      </form>
    </search>
  )
}
