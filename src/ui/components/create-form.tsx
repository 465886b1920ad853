import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

type CreateFormProps = {
  /** Label of the submit button: a verb, such as "Create token". */
  submitLabel: string
  onSubmit(fields: FormData): void
  onCancel(): void
  busy: boolean
  /** Error of the whole form rather than of a field. */
  error: string | undefined
  children: ReactNode
}

/** Form in a card that creates something. Its first field takes the focus. */
export function CreateForm({ submitLabel, onSubmit, onCancel, busy, error, children }: CreateFormProps) {
  const { t } = useMessages()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!busy) onSubmit(new FormData(event.currentTarget))
  }
  return (
    <form
      ref={form}
      onSubmit={submit}
      method="post"
      className="space-y-4 border-b border-line px-4 py-4 sm:px-5"
    >
      {children}
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
