import { type FormEvent, type ReactNode, useEffect, useId } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'
import { FieldErrorsContext } from './text-field.tsx'
import { useFieldErrors } from './use-field-errors.ts'

type CreateFormProps = {
  /** Heading, unless the card's title already says it. */
  title?: string
  /** Label of the submit button: a verb, such as "Create token". */
  submitLabel: string
  onSubmit(fields: FormData): void
  onCancel(): void
  busy: boolean
  /** Error of the whole form rather than of a field. */
  error: string | undefined
  children: ReactNode
}

/** Form in a card that creates something. Its first field takes the focus. Invalid fields say why. */
export function CreateForm({
  title,
  submitLabel,
  onSubmit,
  onCancel,
  busy,
  error,
  children,
}: CreateFormProps) {
  const { t } = useMessages()
  const id = useId()
  const fields = useFieldErrors()
  const { ref } = fields.form
  useEffect(() => ref.current?.querySelector('input')?.focus(), [ref])
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    if (fields.check()) onSubmit(new FormData(event.currentTarget))
    else fields.focusFault()
  }
  return (
    <form
      {...fields.form}
      onSubmit={submit}
      method="post"
      aria-labelledby={title && id}
      className="space-y-4 border-line [&>div]:max-w-3xl not-last:border-b px-4 py-4 sm:px-5"
    >
      {title && (
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
      )}
      <FieldErrorsContext value={fields.errors}>{children}</FieldErrorsContext>
      {error && <Notice tone="error">{error}</Notice>}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={busy}>
          {submitLabel}
        </Button>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
      </div>
    </form>
  )
}
